import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { violations as axe } from "./support/axe.js";
import { resize } from "./support/browser.js";
import { engine } from "./support/environment.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();
const NUMBER = "0502345678";

const violations = (...of) => axe(e2e.window, ...of);

/** Each brings the keypad into a state that somebody sees. */
const STATES = {
  empty: async () => {},
  typing: async (keypad) => {
    await keypad.type("0502");
  },
  valid: async (keypad) => {
    await keypad.type(NUMBER);
  },
  "dead end": async (keypad) => {
    await keypad.type("036");
  },
  error: async (keypad) => {
    await keypad.type("0502", Key.ENTER);
  },
  suggestion: async (keypad) => {
    await keypad.type("4915123456789");
    await keypad.says("suggestion", /\+49/);
  },
  sending: async (keypad) => {
    await keypad.type(NUMBER, Key.ENTER);
  },
};

/** Opens the till in a theme, with a keypad whose clock stands: it sends for 10 s at most, and axe may take as long. */
async function open(theme, size) {
  const opened = await e2e.open({ size, stored: { "till-theme": theme } });
  await opened.window.executeScript("window.keptInterval = window.setInterval; window.setInterval = () => 0;");
  return opened;
}

/** Charges an order with the receipt step's switches set; gives the keypad that asks. */
async function ask(choices) {
  const { window } = e2e;
  const keypad = new Keypad(window);
  await window.executeScript(
    `
    for (const [name, value] of Object.entries(arguments[0])) {
      const control = document.getElementById("choose-" + name);
      control[typeof value === "boolean" ? "checked" : "value"] = value;
      control.dispatchEvent(new Event("change"));
    }
    document.querySelector("#products button").click();
    document.querySelector("#charge").click();`,
    { ereceipt: "on", region: "IL", gateway: "hangs", allowNone: true, languages: false, layout: "dialog", ...choices },
  );
  await keypad.shows();
  return keypad;
}

/** What is too small to be hit, or sticks out of the window. */
const flaws = (keypad) =>
  keypad.run(`
  const found = [];
  for (const button of root.querySelectorAll("button")) {
    const { left, right, top, bottom, width, height } = button.getBoundingClientRect();
    if (!button.checkVisibility()) continue;
    const name = button.getAttribute("part") + " " + button.textContent.trim();
    if (width < 47.5 || height < 47.5) found.push("small: " + name + " " + width + "×" + height);
    if (left < -0.5 || right > innerWidth + 0.5 || top < -0.5 || bottom > innerHeight + 0.5)
      found.push("out of sight: " + name + " " + [left, top, right, bottom].map(Math.round));
  }
  if (document.documentElement.scrollWidth > innerWidth)
    found.push("The page scrolls sideways: " + document.documentElement.scrollWidth);
  return found;`);

const LOOKS = [
  ["en", "light"],
  ["en", "dark"],
  ["he", "light"],
  ["ar", "dark"],
  ["es", "light"],
];
for (const [locale, theme] of LOOKS) {
  test(`keypad, ${locale}, ${theme}: in every state axe finds nothing, every button is in sight and large enough`, async () => {
    const { till, window } = await open(theme);
    for (const [width, height] of [
      [1280, 800],
      [360, 640],
    ]) {
      for (const [state, reach] of Object.entries(STATES)) {
        // An ask for each.
        await resize(window, 1280, 800);
        // A suggestion needs a region whose numbers are mistaken for another's.
        const keypad = await ask({ locale, region: state === "suggestion" ? "DE" : "IL" });
        await resize(window, width, height);
        await reach(keypad);
        assert.deepEqual(await flaws(keypad), [], `${state} ${width}×${height}`);
        assert.deepEqual(await violations("ereceipt-keypad"), [], `${state} ${width}×${height}`);
        await screenshot(window, `keypad-${state.replace(" ", "-")}-${locale}-${theme}-${width}`);
        await resize(window, 1280, 800);
        await keypad.click("print");
        await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
      }
    }
  });
}

/** What of the dialog is cut, covered or below the fold. */
const misplaced = (keypad) =>
  keypad.run(`
  const found = [];
  for (const button of root.querySelectorAll("button")) {
    if (!button.checkVisibility()) continue;
    const name = button.getAttribute("part") + " " + button.textContent.trim();
    const { left, top, width, height } = button.getBoundingClientRect();
    const above = root.elementFromPoint(left + width / 2, top + height / 2);
    if (above !== button) found.push("covered: " + name);
    if (button.scrollWidth > button.clientWidth + 1 || button.scrollHeight > button.clientHeight + 1)
      found.push("cut: " + name);
  }
  const dialog = root.querySelector("dialog");
  if (dialog.scrollHeight > dialog.clientHeight + 1)
    found.push("scrolls: " + dialog.scrollHeight + " > " + dialog.clientHeight);
  const key = root.querySelector("[part=key]").getBoundingClientRect().height;
  if (dialog.clientHeight >= 560 && key < 63.5) found.push("small keys: " + key);
  return found;`);

for (const languages of [false, true]) {
  const and = languages ? ", with the language button" : "";
  test(`keypad in a dialog${and}: at every size, with text of 100 and 200 %, all of it is in sight`, async () => {
    const { till, window } = await open("light");
    for (const locale of ["en", "he", "ar", "es"]) {
      const keypad = await ask({ locale, languages, gateway: "hangs" });
      assert.equal(await keypad.run("return find('language').checkVisibility()"), languages);
      // Too many digits: a long number, and a long text below it.
      await keypad.type("+9725023456789");
      // The till is another matter: too wide, it would widen a phone's window, and the keypad with it.
      await window.executeScript(
        "for (const part of document.body.children) if (!part.shadowRoot) part.style.display = 'none'",
      );
      for (const text of [100, 200]) {
        await window.executeScript("document.documentElement.style.fontSize = arguments[0]", `${text}%`);
        for (const [width, height] of [
          [360, 640],
          [740, 360],
          [1024, 600],
          [1280, 800],
        ]) {
          await resize(window, width, height);
          const place = `${locale} ${width}×${height}, ${text} %`;
          const found = [...(await flaws(keypad)), ...(await misplaced(keypad))];
          assert.deepEqual(found, [], place);
          await screenshot(
            window,
            `keypad-layout-${locale}-${width}x${height}-${text}${languages ? "-languages" : ""}`,
          );
        }
      }
      await window.executeScript(
        "document.documentElement.style.fontSize = ''; for (const part of document.body.children) part.style.display = ''",
      );
      await resize(window, 1280, 800);
      await keypad.click("print");
      await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
    }
  });
}

for (const layout of ["inline", "customer"]) {
  test(`keypad, ${layout}: axe finds nothing`, async () => {
    for (const [locale, theme] of [
      ["en", "light"],
      ["he", "dark"],
    ]) {
      const { window } = await open(theme);
      const keypad = await ask({ locale, layout });
      await keypad.type("0502345");
      assert.deepEqual(await violations("ereceipt-keypad"), []);
      await screenshot(window, `keypad-${layout}-${locale}-${theme}`);
    }
  });
}

// No other engine lets a driver force colors.
if (engine() === "chromium") {
  test("forced colors: axe finds nothing, and every key has an outline", async () => {
    const { till, window } = await open("light");
    await window.sendDevToolsCommand("Emulation.setEmulatedMedia", {
      features: [{ name: "forced-colors", value: "active" }],
    });
    const keypad = await ask({ locale: "en" });
    await keypad.type("036");
    assert.deepEqual(await violations("ereceipt-keypad"), []);
    const bare = await keypad.run(
      "return Array.from(root.querySelectorAll('button')).filter((button) => getComputedStyle(button).borderStyle === 'none').map((button) => button.textContent)",
    );
    assert.deepEqual(bare, []);
    await screenshot(window, "keypad-forced-colors");
    await keypad.click("print");
    await window.executeScript("window.setInterval = window.keptInterval;");
    await till.click("#connect");
    await till.frame.shows("sign-in");
    await till.click(".pos-connect-phone");
    await window.wait(() => window.executeScript("return document.querySelector('.pos-connect-qr') !== null"), 10_000);
    const colors = await window.executeScript(
      "return ['rect', 'path'].map((part) => getComputedStyle(document.querySelector('.pos-connect-qr ' + part)).fill)",
    );
    assert.deepEqual(colors, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], "a camera knows nothing else");
    await screenshot(window, "elsewhere-forced-colors");
    await till.click("dialog button");
    await till.rests();
    await window.sendDevToolsCommand("Emulation.setEmulatedMedia", { features: [] });
  });
}

test("the ways out of the connect frame: axe finds nothing, in both themes and sizes", async () => {
  for (const [theme, ...size] of [
    ["light", 1280, 800],
    ["dark", 360, 640],
  ]) {
    const { till, window } = await e2e.open({ size, stored: { "till-theme": theme } });
    await till.click("#connect");
    await till.frame.shows("sign-in");
    await till.click(".pos-connect-phone");
    await window.wait(() => window.executeScript("return document.querySelector('.pos-connect-qr') !== null"), 10_000);
    assert.deepEqual(await violations("dialog"), [], theme);
    await screenshot(window, `elsewhere-${theme}`);
    await till.click("dialog button");
    await till.rests();
  }
});

test("the till, and a receipt in its tray: axe finds nothing", async () => {
  for (const theme of ["light", "dark"]) {
    const { till, window } = await open(theme);
    const keypad = await ask({ locale: "en", gateway: "works" });
    await keypad.type(NUMBER, Key.ENTER);
    await till.says("#tray figcaption", /^Receipt sent/);
    await window.executeScript("for (const choices of document.querySelectorAll('.choices')) choices.open = true");
    // Text that is scrolled half out of sight has no background that axe could decide on.
    assert.deepEqual(await violations("body", { undecided: false }), [], theme);
    await screenshot(window, `till-after-ereceipt-${theme}`);
  }
});

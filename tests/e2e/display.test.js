// The customer's display in a second window, the looks of the keypad, and the kiosk.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./support/axe.js";
import { resize } from "./support/browser.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();
const TIMEOUT = 20_000;
const NUMBER = "0502345678";
const SIZES = [
  [360, 640],
  [740, 360],
  [1024, 600],
  [1280, 800],
];
const LOOKS = ["bakery", "ocean", "plum", "graphite", "sunset", "contrast"];

/** The keypad's buttons that are not wholly in the window. */
const OUT_OF_SIGHT = `return Array.from(root.querySelectorAll("button"))
  .filter((button) => button.checkVisibility())
  .map((button) => [button.textContent.trim(), button.getBoundingClientRect()])
  .filter(([, { left, right, top, bottom }]) => left < 0 || right > innerWidth || top < 0 || bottom > innerHeight)
  .map(([name, { top, bottom }]) => name + " " + [top, bottom]);`;

/** Opens the till with these choices, and its display; gives what acts in each window. */
async function open(choices = {}) {
  const stored = { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL", ...choices }) };
  const { till, window } = await e2e.open({ stored });
  const own = await window.getWindowHandle();
  await till.click("#open-display");
  const find = async () => (await window.getAllWindowHandles()).find((handle) => handle !== own);
  const other = await window.wait(find, TIMEOUT, "No display opened.");
  await till.says("#display-state", "The customer display is open.");
  const at = async (handle, act) => {
    await window.switchTo().window(handle);
    return act();
  };
  const keypad = new Keypad(window);
  return { till, window, keypad, inTill: (act) => at(own, act), onDisplay: (act) => at(other, act) };
}

/** Ends with the till's window in front, alone. */
async function closeDisplay({ window, onDisplay, inTill }) {
  await onDisplay(() => window.close());
  await inTill(() => e2e.till.says("#display-state", /closed/));
}

const ring = (count) =>
  e2e.window.executeScript(
    "for (const button of [...document.querySelectorAll('#products button')].slice(0, arguments[0])) button.click()",
    count,
  );
const enters = (state) =>
  e2e.window.wait(
    () => e2e.window.executeScript("return document.body.dataset.state === arguments[0]", state),
    TIMEOUT,
    `The display never showed "${state}".`,
  );

test("the display follows the order, asks, and says thank you; it knows no secret, and the number is forgotten", async () => {
  const all = await open();
  const { till, window, keypad, inTill, onDisplay } = all;
  await onDisplay(() => enters("idle"));
  await till.says("#welcome", "Welcome");
  await inTill(() => ring(3));
  const total = await till.says("#total", /^\$[1-9]/);
  await onDisplay(() => till.says("#total", total));
  await till.says("#lines", "1 ×Sourdough loaf$7.501 ×Baguette$3.751 ×Soft pretzel$2.95");
  await inTill(() => till.click("#charge"));
  await till.says("#asking p", "The customer is asked on their display.");
  await onDisplay(() => keypad.shows());
  await till.says("#paid", new RegExp(`^Paid \\W*\\${total}\\W* · Order \\W*1041\\W*$`));
  await keypad.tap(NUMBER);
  await keypad.says("display", /50-234-5678/);
  await keypad.click("send");
  await till.says("#thanks-text", /way to .*•••• 5678/);
  const page = await window.executeScript(
    "return [document.documentElement.outerHTML, ...performance.getEntriesByType('resource').map(({ name }) => name)].join()",
  );
  const { clientSecret, account } = e2e.service.settings;
  for (const secret of [clientSecret, account.email, account.password, "demo.json", NUMBER.slice(1)])
    assert.ok(!page.includes(secret), "The display knows what it should not.");
  await inTill(() => till.says("#tray figcaption", /^Receipt sent/));
  assert.ok(!(await till.element("#asking").isDisplayed()));
  await till.isTidy();
  await closeDisplay(all);
});

test("the gateway refuses: the shopper and the cashier are told that it is printed", async () => {
  const all = await open({ gateway: "refuses" });
  const { till, keypad, inTill, onDisplay } = all;
  await ring(1);
  await till.click("#charge");
  await onDisplay(() => keypad.shows());
  await keypad.tap(NUMBER);
  await keypad.click("send");
  await inTill(() => till.says("#tray figcaption", "The text message could not be sent. Receipt printed."));
  await onDisplay(() => till.says("#thanks-text", "Please take your receipt."));
  await closeDisplay(all);
});

test("the window is closed, or the cashier wants to: the keypad shows in the till", async () => {
  const all = await open();
  const { till, keypad, inTill, onDisplay } = all;
  await ring(1);
  await till.click("#charge");
  await onDisplay(() => keypad.shows());
  await inTill(() => till.click("#ask-here"));
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
  await till.focuses("charge");
  await ring(1);
  await till.click("#charge");
  await onDisplay(() => keypad.shows());
  await closeDisplay(all);
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
  await ring(1);
  await till.click("#charge");
  await keypad.shows();
  await keypad.click("print");
});

test("a reload of the till finds its display; what was asked is over", async () => {
  const all = await open();
  const { till, keypad, inTill, onDisplay } = all;
  await ring(1);
  await till.click("#charge");
  await onDisplay(() => keypad.shows());
  await inTill(() => till.reopen());
  await till.says("#display-state", "The customer display is open.");
  await till.says("#tray", "");
  await onDisplay(() => enters("idle"));
  await inTill(() => ring(1));
  await onDisplay(() => enters("cart"));
  await closeDisplay(all);
});

for (const locale of ["en", "he", "ar", "es"]) {
  test(`the display in ${locale}: at every size nothing sticks out, and axe finds nothing`, async () => {
    const all = await open({ locale, keypad: "ocean", languages: true });
    const { till, window, keypad, inTill, onDisplay } = all;
    const look = async (state) => {
      await enters(state);
      for (const [width, height] of SIZES) {
        await resize(window, width, height);
        const [across, down] = await window.executeScript(
          "return [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]",
        );
        assert.deepEqual([Math.max(across, 0), Math.max(down, 0)], [0, 0], `${state} at ${width}×${height}`);
        await screenshot(window, `display-${state}-${locale}-${width}x${height}`);
        if (state === "ask") assert.deepEqual(await keypad.run(OUT_OF_SIGHT), [], `${width}×${height}`);
      }
      assert.deepEqual(await violations(window, "body", { undecided: false }), [], state);
    };
    await onDisplay(() => look("idle"));
    assert.equal(
      await window.executeScript("return document.documentElement.dir"),
      ["en", "es"].includes(locale) ? "ltr" : "rtl",
    );
    await inTill(() => ring(5));
    await onDisplay(() => look("cart"));
    await inTill(() => till.click("#charge"));
    await onDisplay(() => keypad.shows());
    await look("ask");
    await keypad.click("print");
    await enters("thanks");
    await screenshot(window, `display-thanks-${locale}`);
    await closeDisplay(all);
  });
}

/** The contrast of pairs of colors in the open keypad, as they are computed. */
const CONTRASTS = `
  const host = document.querySelector("ereceipt-keypad");
  const parts = (color) => {
    const numbers = color.match(/[0-9.]+/g).slice(0, 3).map(Number);
    return color.startsWith("color(") ? numbers : numbers.map((number) => number / 255);
  };
  const luminance = (color) => {
    const [red, green, blue] = parts(color).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const variable = (name) => {
    host.style.color = "var(--ereceipt-" + name + ")";
    const { color } = getComputedStyle(host);
    host.style.color = "";
    return color;
  };
  const key = getComputedStyle(find("key", "5"));
  const colors = { key: key.backgroundColor, digit: key.color };
  for (const name of ["accent", "on-accent", "surface", "text", "muted", "border", "error"]) colors[name] = variable(name);
  return arguments[0].map(([front, back, least]) => {
    const [dark, light] = [luminance(colors[front]), luminance(colors[back])].sort((a, b) => a - b);
    return { pair: front + " on " + back, contrast: (light + 0.05) / (dark + 0.05), least };
  }).filter(({ contrast, least }) => !(contrast >= least));`;
const PAIRS = [
  ["text", "surface", 4.5],
  ["muted", "surface", 4.5],
  ["error", "surface", 4.5],
  ["accent", "surface", 4.5],
  ["on-accent", "accent", 4.5],
  ["digit", "key", 4.5],
  ["border", "surface", 3],
];

test("six looks, light and dark: text has a contrast of 4.5:1, outlines one of 3:1", async () => {
  const { till, window } = await e2e.open({
    stored: { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL", layout: "inline" }) },
  });
  const keypad = new Keypad(window);
  const offered = await window.executeScript(
    "return Array.from(document.querySelector('#choose-keypad').options, ({ value }) => value)",
  );
  assert.deepEqual(offered, LOOKS);
  await ring(1);
  await till.click("#charge");
  await keypad.shows();
  const seen = new Set();
  for (const look of LOOKS) {
    for (const theme of ["light", "dark"]) {
      const surface = await window.executeScript(
        `
        const select = document.querySelector("#choose-keypad");
        select.value = arguments[0];
        select.dispatchEvent(new Event("change"));
        document.documentElement.dataset.theme = arguments[1];
        return getComputedStyle(document.querySelector("ereceipt-keypad")).getPropertyValue("--ereceipt-accent") + arguments[1];`,
        look,
        theme,
      );
      seen.add(surface);
      // A color on its way from one to another is not what is judged.
      await keypad.run("for (const animation of root.getAnimations()) animation.finish();");
      assert.deepEqual(await keypad.run(CONTRASTS, PAIRS), [], `${look}, ${theme}`);
      await screenshot(window, `look-${look}-${theme}`);
    }
  }
  assert.equal(seen.size, 12, "Two looks are the same.");
  await keypad.click("print");
});

test("the kiosk: no panel, full screen on the first touch, the keypad covers the till", async () => {
  const { till, window } = await e2e.open({
    page: "?kiosk",
    stored: { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL" }) },
  });
  const keypad = new Keypad(window);
  assert.ok(!(await till.element("#flow").isDisplayed()));
  await window.executeScript("document.addEventListener('fullscreenchange', () => { window.became = true; })");
  await till.click("#products button");
  await window.wait(
    () => window.executeScript("return window.became === true"),
    TIMEOUT,
    "It never became full screen.",
  );
  await till.click("#charge");
  await keypad.shows();
  assert.ok(await till.element(".customer").isDisplayed());
  await till.says("#customer-paid", /^Paid .*\$8\.12.* · Order .*1041/);
  await screenshot(window, "kiosk-ask");
  await keypad.tap(NUMBER);
  await keypad.click("send");
  await till.says("#tray figcaption", /^Receipt sent/);
  await window.executeScript("return document.exitFullscreen().catch(() => {})");
});

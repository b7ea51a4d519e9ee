// The layout of the demo till and of the keypad: each engine makes its own of grids, sticky parts, viewport units and
// fonts. Colors, and what the package shows in each of its states, are looked at in ../screens.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { resize } from "./support/browser.js";
import { engine } from "./support/environment.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { becomes } from "./support/wait.js";

const AUDIT = await readFile(new URL("../screens/support/audit.js", import.meta.url), "utf8");
const e2e = session();
const SIZES = [
  [360, 640],
  [740, 360],
];
// Where there is room, an engine's own way of laying out costs nothing.
if (engine() === "chromium") SIZES.push([1024, 600], [1280, 800]);
const LOCALES = engine() === "chromium" ? ["en", "he", "ar", "es"] : ["es", "ar"];
const PERCENTS = [100, 200];
const run = (script, ...args) => e2e.window.executeScript(script, ...args);
const large = (percent) => run("document.documentElement.style.fontSize = arguments[0] + '%'", percent);
const turn = (direction) => run("document.documentElement.dir = arguments[0]", direction);

/** What sticks out of the page, and what is too small to be hit with a finger. A phone's `innerWidth` grows with it. */
const FLAWS = `
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push("The page scrolls sideways: " + scrollWidth);
  for (const button of document.querySelectorAll("button")) {
    const { width, height } = button.getBoundingClientRect();
    if (button.checkVisibility() && button.getClientRects().length > 0 && (width < 47.5 || height < 47.5))
      found.push("small: " + (button.id || button.textContent.trim()) + " " + width + "×" + height);
  }
  return found;`;

/** What should be in sight and is not, what is covered, and whose text is cut. */
const HIDDEN = `
  const found = [];
  // What a notice stands in the place of comes back with its OK.
  const isShown = { visibilityProperty: true };
  const visible = (element) => element.checkVisibility(isShown) && element.getClientRects().length > 0;
  const name = (element) => element.id || element.textContent.trim().slice(0, 20);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth || root.scrollHeight > innerHeight)
    found.push("The page scrolls: " + root.scrollWidth + "×" + root.scrollHeight);
  for (const element of document.querySelectorAll("#connect, #theme, #changed button, #charge, #views button")) {
    if (!visible(element)) continue;
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (left < 0 || right > root.clientWidth || top < 0 || bottom > innerHeight)
      found.push("out of sight: " + name(element) + " " + [left, right, top, bottom]);
    if (!element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)))
      found.push("covered: " + name(element));
  }
  for (const element of document.querySelectorAll("button, h1, h2, .connection, .totals dd")) {
    if (!visible(element) || element.matches(".visually-hidden")) continue;
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
      found.push("cut: " + name(element) + " " + element.scrollWidth + " in " + element.clientWidth);
    const { left, right } = element.getBoundingClientRect();
    if (!element.closest(".categories") && (left < -0.5 || right > root.clientWidth + 0.5))
      found.push("sticks out: " + name(element));
  }
  return found;`;

/** As a connection looks, with a line about it. */
const CONNECTED = `
  document.querySelector("#connection").dataset.state = "on";
  document.querySelector("#connection").textContent = "Connected to Demo Bakery, Old Harbor";
  document.querySelector("#connect").classList.remove("primary");
  document.querySelector("#connect").textContent = "Disconnect";
  document.querySelector("#changed p").textContent = "The merchant switched e-receipts off.";
  document.querySelector("#changed").hidden = false;`;

/** The last of the lines can be scrolled to, above what stays at the end. */
const REACHES_LAST_LINE = `
  const line = document.querySelector("#lines").lastElementChild;
  line.scrollIntoView({ block: "nearest" });
  const button = line.querySelector(".more");
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));`;

// A page is laid out anew with the next picture, in WebKit.
const finds = (script, nothing, place) => becomes(() => run(script), nothing, place);

for (const page of ["", "one-call.html", "step-by-step.html"]) {
  test(`${page || "the till"}: nothing sticks out, everything can be hit`, async () => {
    const { window } = await e2e.open({ page });
    for (const [width, height] of [SIZES[0], SIZES.at(-1)]) {
      await resize(window, width, height);
      for (const direction of ["ltr", "rtl"]) {
        await turn(direction);
        for (const open of [false, true]) {
          await run("for (const details of document.querySelectorAll('details')) details.open = arguments[0]", open);
          await finds(FLAWS, [], `${width}×${height}, ${direction}`);
        }
      }
      await screenshot(window, `${page.replace(".html", "") || "till"}-${width}-rtl`);
    }
  });
}

/** Rings up five lines, and looks at all parts of the till at each size. */
async function holdsFiveLines(name, percents, enter = "") {
  const { window } = await e2e.open();
  await run("for (const button of [...document.querySelectorAll('#products button')].slice(0, 5)) button.click()");
  await run(enter);
  for (const [width, height] of SIZES) {
    await resize(window, width, height);
    for (const percent of percents) {
      await large(percent);
      for (const direction of ["ltr", "rtl"]) {
        await turn(direction);
        const place = `${width}×${height}, ${percent} %, ${direction}`;
        for (const view of ["sale", "flow", "order"]) {
          await run("document.querySelector(arguments[0]).click()", `#views [data-view=${view}]`);
          await finds(HIDDEN, [], `${place}, ${view}`);
        }
        await finds("return document.querySelector('#charge').checkVisibility()", true, place);
        await finds(REACHES_LAST_LINE, true, `The last line cannot be reached: ${place}`);
      }
    }
    await screenshot(window, `${name}-${width}x${height}`);
  }
}

test("five lines, at each size, text 100 and 200 %, both directions: Charge and the ways are in sight", () =>
  holdsFiveLines("five-lines", PERCENTS));

test("the same while the till is connected, and something was changed elsewhere, text 200 %", () =>
  holdsFiveLines("connected", [200], CONNECTED));

for (const percent of PERCENTS) {
  test(`the till's connect dialog, text ${percent} %: it begins at its title, and Sign in is in sight`, async () => {
    for (const size of SIZES) {
      const { till, window } = await e2e.open({ size });
      const place = size.join("×");
      await large(percent);
      await till.click("#connect");
      // Not by looking into the frame: the driver scrolls to it.
      await till.holds("return document.querySelector('.pos-connect-loading')?.checkVisibility()", false, place);
      await screenshot(window, `till-dialog-${size.join("x")}-${percent}`);
      const places = `
        const { top, bottom } = document.querySelector(".pos-connect-frame").getBoundingClientRect();
        const end = arguments[0] > 100 ? innerHeight : bottom;
        return [document.querySelector(".connect-dialog").scrollTop, top >= 0, end <= innerHeight];`;
      await becomes(() => run(places, percent), [0, true, true], `${place}: its scroll, the frame's start and end`);
      const inside = `
        const { bottom } = document.getElementById("sign-in").getBoundingClientRect();
        return [scrollY, arguments[0] > 100 || bottom <= document.documentElement.clientHeight + 1];`;
      const look = () => till.frame.inside(() => run(inside, percent));
      await becomes(look, [0, true], `${place}: the page's scroll, Sign in`);
    }
  });
}

test("at 360×640 the till shows one part at a time, and connects", async () => {
  const { till, service } = await e2e.open({ size: [360, 640] });
  await till.click("#products button");
  for (const view of ["order", "flow", "sale"]) {
    await till.click(`#views [data-view=${view}]`);
    await becomes(() => till.element(`#${view}`).isDisplayed(), true, view);
  }
  await till.connect(service.settings.account);
});

/** As the screens' states are looked at, with text of 14 px at least. */
const LOOK = { scope: "keypad", scrolls: "nothing", least: 48, leastKey: 64, leastText: 14 };
const AUDITED = `${AUDIT}\nreturn audit(arguments[0]).flaws;`;

/** Charges an order; the keypad shows the most that it can: every option, and below a long number a long text. */
async function ask(locale) {
  const { window } = e2e;
  const receipt = { ereceipt: "on", region: "IL", gateway: "hangs", allowNone: true, languages: true, locale };
  await e2e.open({ stored: { "till-receipt": JSON.stringify(receipt) } });
  await run(`
    window.setInterval = () => 0; // Its clock stands: nobody is missed.
    document.querySelector("#products button").click();
    document.querySelector("#charge").click();
    document.querySelector(".question [value=card]").click();`);
  const keypad = new Keypad(window);
  await keypad.shows();
  await keypad.type("+9725023456789");
  await keypad.holds("return find('keypad').dataset.tone", "bad");
  // The till is another matter: too wide, it would widen a phone's window, and the keypad with it.
  await run("for (const part of document.body.children) if (!part.shadowRoot) part.style.display = 'none'");
}

for (const locale of LOCALES) {
  test(`the keypad's dialog in ${locale}, at each size, text 100 and 200 %: all of it is in sight`, async () => {
    await ask(locale);
    for (const [width, height] of SIZES) {
      await resize(e2e.window, width, height);
      for (const percent of PERCENTS) {
        await large(percent);
        await becomes(() => run(AUDITED, LOOK), [], `${width}×${height}, ${percent} %`);
        await screenshot(e2e.window, `keypad-layout-${locale}-${width}x${height}-${percent}`);
      }
    }
  });
}

test("what is cut, covered, small or out of sight is found", async () => {
  const { window } = await e2e.open({ size: SIZES[0] });
  await run("document.querySelector('#products button').click()");
  await finds(FLAWS, []);
  await finds(HIDDEN, []);
  const plant = async (script, css, style, flaw) => {
    await run("document.querySelector(arguments[0]).style.cssText = arguments[1]", css, style);
    await becomes(async () => (await run(script)).some((found) => found.includes(flaw)), true, flaw);
    await run("document.querySelector(arguments[0]).style.cssText = ''", css);
    await finds(script, []);
  };
  await plant(FLAWS, "#theme", "block-size: 40px; min-block-size: 0", "small: theme");
  await plant(FLAWS, "body", "inline-size: 400px", "scrolls sideways");
  await plant(HIDDEN, "#theme", "position: relative; inset-block-start: -60px", "out of sight: theme");
  await plant(HIDDEN, "#sale", "position: fixed; inset: 0; z-index: 9", "covered: connect");
  await plant(HIDDEN, "#connect", "inline-size: 48px; white-space: nowrap; overflow: hidden", "cut: connect");
});

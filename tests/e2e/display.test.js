// The customer's display in a second window, as it follows the till, and the kiosk. How they look: ../screens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testInChromium } from "./support/in-chromium.js";
import { violations } from "./support/axe.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { endTimers, holdTimers } from "./support/timers.js";
import { becomes, eventually } from "./support/wait.js";

const e2e = session();
const NUMBER = "0502345678";
// A kiosk's limits, in ms: nobody touches it; it counts down; what a shopper left there goes.
const UNTOUCHED = 60_000;
const SECOND = 1_000;
const SHOWN = 10_000;

/** Opens the till with these choices, and its display; gives what acts in each window. */
async function open(choices = {}) {
  const stored = { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL", ...choices }) };
  const { till, window } = await e2e.open({ stored });
  const own = await window.getWindowHandle();
  await till.click("#open-display");
  const find = async () => (await window.getAllWindowHandles()).find((handle) => handle !== own);
  const other = await eventually(find, "No display opened.");
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
const enters = (state) => e2e.till.holds("return document.body.dataset.state", state);
const hides = (css) => becomes(() => e2e.till.element(css).isDisplayed(), false, `${css} is still there.`);

test("the display follows the order, asks, says thank you, knows no secret, and forgets the number", async () => {
  const all = await open({ languages: true });
  const { till, window, keypad, inTill, onDisplay } = all;
  await onDisplay(() => enters("idle"));
  await till.says("#welcome", "Welcome");
  await inTill(() => ring(3));
  const total = await till.says("#total", /^\$[1-9]/);
  await onDisplay(() => till.says("#total", total));
  await till.says(".on-cart .tax", "Tax $1.17");
  await till.says("#lines", "1 ×Sourdough loaf$7.501 ×Baguette$3.751 ×Soft pretzel$2.95");
  await inTill(() => till.charge());
  await till.says("#asking p", "The customer is asked on their display.");
  await onDisplay(() => keypad.shows());
  await till.says("#paid", new RegExp(`^Paid \\W*\\${total}\\W* · Order \\W*1041\\W*$`));
  await till.says(".asked .tax", "Tax $1.17");
  await till.says(".asked .sum", `Total ${total}`);
  await keypad.click("language");
  await (await keypad.run("return [...find('languages').children].find(({ lang }) => lang === 'es')")).click();
  await till.says("#paid", /^Pagado/); // What stands beside the keypad, too.
  await till.says("#asked-count", "Artículos: 3");
  await keypad.tap(NUMBER);
  await keypad.says("display", /50-234-5678/);
  await keypad.click("send");
  await till.says("#thanks-text", /va en camino a .*•••• 5678/);
  const page = await window.executeScript(
    `const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    return [document.documentElement.outerHTML, ...loaded].join()`,
  );
  const { clientSecret, account } = e2e.service.settings;
  for (const secret of [clientSecret, account.email, account.password, "demo.json", NUMBER.slice(1)])
    assert.ok(!page.includes(secret), "The display knows what it should not.");
  await inTill(() => till.says("#tray figcaption", /^Receipt sent/));
  await hides("#asking");
  await till.isTidy();
  await closeDisplay(all);
});

testInChromium("the gateway refuses: the shopper and the cashier are told that it is printed", async () => {
  const all = await open({ gateway: "refuses" });
  const { till, keypad, inTill, onDisplay } = all;
  await ring(1);
  await till.charge();
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
  await till.charge();
  await onDisplay(() => keypad.shows());
  await inTill(() => till.click("#ask-here"));
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
  await till.focuses("charge");
  await ring(1);
  await till.charge();
  await onDisplay(() => keypad.shows());
  await closeDisplay(all);
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
  await ring(1);
  await till.charge();
  await keypad.shows();
  await keypad.click("print");
});

test("a reload of the till finds its display; what was asked is over, and printed", async () => {
  const all = await open();
  const { till, keypad, inTill, onDisplay } = all;
  await ring(1);
  await till.charge();
  await onDisplay(() => keypad.shows());
  await inTill(() => till.reopen());
  await till.says("#display-state", "The customer display is open.");
  await till.says("#tray figcaption", "The till was left before the customer chose. Receipt printed.");
  await onDisplay(() => enters("idle"));
  await inTill(() => ring(1));
  await onDisplay(() => enters("cart"));
  await closeDisplay(all);
});

test("the kiosk: no panel, full screen on the first touch, the keypad covers the till", async () => {
  const { till, window } = await e2e.open({
    page: "?kiosk",
    stored: { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL" }) },
  });
  const keypad = new Keypad(window);
  await hides("#flow");
  await window.executeScript("document.addEventListener('fullscreenchange', () => { window.became = true; })");
  await till.click("#categories :nth-child(2)");
  await till.click("#products button");
  await till.holds("return window.became", true, "It never became full screen.");
  await till.charge();
  await keypad.shows();
  await becomes(() => till.element(".customer").isDisplayed(), true);
  await keypad.says("context", "Paid $8.12 · Order 1041");
  await screenshot(window, "kiosk-ask");
  await keypad.tap(NUMBER);
  // What stands there only for a moment.
  await window.executeScript(() => {
    const look = () => void (window.told = ["#tray figcaption", "#paid"].map(read));
    const read = (css) => document.querySelector(css)?.textContent;
    new MutationObserver(() => read("#tray figcaption") && look()).observe(document.body, {
      childList: true,
      subtree: true,
    });
  });
  await keypad.click("send");
  await till.holds(
    "return window.told?.[0] === 'Thank you!' && /^Paid .*8\\.12/.test(window.told[1])",
    true,
    "The outcome was never told.",
  );
  await till.says("#tray", ""); // By itself: the next shopper reads nothing of it.
  await till.says("#paid", "");
  await till.says("#categories [aria-pressed=true]", "All");
  await window.executeScript("return document.exitFullscreen().catch(() => {})");
});

/** Words in the Latin alphabet that are seen or said, without the shop's name, units, and what is printed. */
const LATIN = `
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { nodeValue, parentElement } = walker.currentNode;
    if (parentElement.checkVisibility() && !parentElement.closest("h1, #languages, .paper, .customer > header"))
      found.push(nodeValue);
  }
  const labels = document.querySelectorAll(":is([aria-label], [title]):not(.flow *, .customer, #recent, #panel)");
  for (const element of labels) if (element.checkVisibility()) found.push(element.ariaLabel ?? element.title);
  return found.filter((text) => /[a-z]{3}/i.test(text));`;

testInChromium("the kiosk speaks the shopper's language to the paper, and then its own again", async () => {
  const { till, window } = await e2e.open({
    page: "?kiosk",
    stored: { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL" }) },
  });
  await holdTimers(window, UNTOUCHED, SHOWN);
  const keypad = new Keypad(window);
  for (const language of ["es", "ar", "he"]) {
    await till.click(`#languages [lang=${language}]`);
    if (language !== "es") await till.holds(LATIN, [], language);
  }
  await till.says("#categories [aria-pressed=true]", "הכול");
  await till.click("#products button");
  await till.says("#charge", /תשלום.*\$8\.12/);
  await till.holds(LATIN, []);
  assert.deepEqual(await violations(window, "body"), []);
  await till.click(".count");
  await till.holds(LATIN, []);
  await till.click(".question button[value='']");
  await till.click("#charge");
  await till.holds(LATIN, []);
  await till.click(".question [value=card]");
  await keypad.shows();
  await keypad.says("context", /^שולם/);
  await keypad.click("print");
  await till.says("#tray figcaption", "הקבלה מודפסת עבורכם.");
  await till.says("#customer-thanks", "תודה!");
  await endTimers(window, SHOWN);
  await till.says("#languages [aria-pressed=true]", "English"); // For the next shopper.
  await till.click("#products button");
  await till.charge();
  await keypad.shows();
  await keypad.click("language");
  await (await keypad.run("return [...find('languages').children].find(({ lang }) => lang === 'es')")).click();
  await keypad.click("print");
  await till.says("#customer-thanks", "¡Gracias!");
  await till.says("#tray figcaption", "Aquí tiene su recibo impreso.");
  await window.executeScript("return document.exitFullscreen().catch(() => {})");
});

test("the kiosk: an order that is left is asked after, then cleared; nobody brings another one's back", async () => {
  const { till, window } = await e2e.open({ page: "?kiosk" });
  await holdTimers(window, UNTOUCHED, SECOND);
  await till.click("#products button");
  await till.says("#charge", "Pay $8.12");
  await endTimers(window, UNTOUCHED);
  await till.says("#still-title", "Still there?");
  assert.deepEqual(await violations(window, ".question"), []);
  await till.click(".question .primary");
  await till.says("#charge", "Pay $8.12");
  await endTimers(window, UNTOUCHED); // It was not touched again.
  await till.says("#still-title", "Still there?");
  for (let left = 19; left > 0; left -= 1) await endTimers(window, SECOND);
  await till.says(".question p", "Your order is cleared in 1 s.");
  await endTimers(window, SECOND);
  await till.says("#charge", "Pay");
  await till.says("#clear-order", /^Clear/);
  await till.click("#products button");
  await till.click("#clear-order");
  await till.says("#charge", "Pay");
  await till.says("#clear-order", /^Clear/);
  await window.executeScript("return document.exitFullscreen().catch(() => {})");
});

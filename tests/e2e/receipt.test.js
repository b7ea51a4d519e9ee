// @tier first
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pace } from "node:timers/promises";
import { Key } from "selenium-webdriver";
import { testInChromium } from "./support/in-chromium.js";
import { Keypad } from "./support/keypad.js";
import { session } from "./support/session.js";
import { holdTimers, ORDER_PATIENCE } from "./support/timers.js";

const e2e = session();
const NUMBER = "0502345678"; // Valid in the reference: 050-123-4567 is not.
let keypad;

/** Opens the till with the receipt step's switches set; gives the session. */
async function open(choices) {
  const receipt = JSON.stringify({ ereceipt: "on", region: "IL", ...choices });
  await e2e.open({ stored: { "till-receipt": receipt } });
  keypad = new Keypad(e2e.window);
  return e2e;
}

/** The same, and charges an order. */
async function charge(choices) {
  await open(choices);
  await ring();
  return e2e;
}

async function ring() {
  await e2e.till.click("#products button");
  await e2e.till.charge();
}

const CAPTIONS = {
  not_enabled: "No account is connected: nobody was asked. Receipt printed.",
  chosen: "The customer chose paper. Receipt printed.",
  send_failed: "The text message could not be sent. Receipt printed.",
};

/** The cashier reads what happened in words; the code is in the panel of steps. */
async function printed(reason) {
  await e2e.till.says("#tray figcaption", CAPTIONS[reason]);
  await e2e.till.says("#steps > [data-kind=note]:last-child", new RegExp(`Reason: ${reason}\\.`));
}
const sent = () => e2e.till.says("#tray figcaption", /^Receipt sent/);

/** The number is nowhere in the page or its storage, in no way of writing it. */
async function isForgotten() {
  const found = await e2e.window.executeScript(
    `
    const storage = JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
     const texts = { page: document.documentElement.outerHTML, storage };
    const holds = (text) => text.replace(/[^0-9]/g, "").includes(arguments[0]);
     return Object.entries(texts).filter(([, text]) => holds(text)).map(([name]) => name);`,
    NUMBER.slice(1),
  );
  assert.deepEqual(found, []);
}

test("not connected, it is printed; an account with e-receipts turns the keypad on, and saves the paper", async () => {
  const { till, window, service } = await open({ ereceipt: "account" });
  await holdTimers(window, ORDER_PATIENCE);
  await ring();
  await till.says("#tray figcaption", "No account is connected: nobody was asked. Receipt printed.");
  await till.says("#steps > [data-kind=note]:last-child", /Order 1041 is queued\..*access_token_failed\./);
  await till.says("#tray .paper", /Order 1041.*Total/);
  await till.isTidy();
  await till.connect(service.settings.account, { ereceipts: true });
  await till.says("#token-ereceipt", "on");
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
  await ring();
  await keypad.shows();
  await keypad.tap(NUMBER);
  await keypad.says("display", /050-234-5678/);
  await keypad.click("send");
  await sent();
  await till.says("#tray .sms", /To •••• 5678/);
  await till.focuses("charge");
  await keypad.isGone();
  await till.isTidy();
  await isForgotten();
});

test("keyboard only: type, correct, send", async () => {
  const { till } = await charge();
  await keypad.shows();
  await keypad.type("050", Key.BACK_SPACE, "02345678");
  await keypad.says("display", /050-234-5678/);
  await keypad.enter();
  await sent();
  await till.focuses("charge");
  await isForgotten();
});

test("the shopper wants paper: by the button, by Escape", async () => {
  await charge();
  await keypad.shows();
  await keypad.tap("050");
  await keypad.click("print");
  await printed("chosen");
  await ring();
  await keypad.shows();
  await keypad.type(Key.ESCAPE);
  await printed("chosen");
  await e2e.till.focuses("charge");
  await e2e.till.isTidy();
});

testInChromium("no receipt at all, where the merchant allows it", async () => {
  await charge({ allowNone: true });
  await keypad.shows();
  await keypad.click("none");
  await e2e.till.says("#tray figcaption", "No receipt, as the customer chose.");
});

testInChromium("the gateway refuses: the receipt is printed", async () => {
  await charge({ gateway: "refuses" });
  await keypad.shows();
  await keypad.type(NUMBER, Key.ENTER);
  await printed("send_failed");
  await isForgotten();
});

testInChromium("the gateway hangs: print instead still works", async () => {
  await charge({ gateway: "hangs" });
  await keypad.shows();
  await keypad.type(NUMBER, Key.ENTER);
  await keypad.holds("return find('progress').checkVisibility()", true, "It never sent.");
  await keypad.click("print");
  await printed("chosen");
});

testInChromium("a barcode scanner types nothing, and its Enter sends nothing", async () => {
  const { till, window } = await open({ scanner: true });
  await window.executeScript(
    "addEventListener('keyup', ({ key, isTrusted }) => { window.hasScanned ||= key === 'Enter' && !isTrusted; }, true)",
  );
  await ring();
  await keypad.shows();
  await till.holds("return window.hasScanned === true", true, "The scanner never came.");
  await keypad.says("display", "");
  await pace(200); // What comes within 100 ms is the scanner's.
  await keypad.type("0502345678");
  await keypad.says("display", /050-234-5678$/);
  await keypad.enter();
  await sent();
});

test("a slow kiosk's late and double clicks enter every digit once", async () => {
  await charge({ ghosts: true });
  await keypad.shows();
  for (const key of NUMBER) {
    await keypad.click("key", key);
    await pace(key === "2" ? 600 : 60); // Now and then the shopper waits for the ghosts.
  }
  await keypad.says("display", /050-234-5678/);
  await keypad.click("send");
  await sent();
});

test("on the customer's display, in Hebrew and Arabic: everything mirrors but the digits", async () => {
  for (const [locale, layout] of [
    ["he", "customer"],
    ["ar", "inline"],
  ]) {
    await charge({ locale, layout });
    await keypad.shows();
    const mirrored = `
      const x = (label) => find("key", label).getBoundingClientRect().x;
      return [getComputedStyle(root.firstElementChild).direction, x("1") < x("3")];`;
    await keypad.holds(mirrored, ["rtl", true], "The digit grid is mirrored.");
    await keypad.tap(NUMBER);
    await keypad.says("display", /050-234-5678/);
    await keypad.click("send");
    await sent();
    await isForgotten();
  }
});

testInChromium("an order that is charged while the keypad beside it still asks: the first is printed", async () => {
  const { till } = await charge({ layout: "inline" });
  await keypad.shows();
  await keypad.tap("050");
  await ring();
  await till.says("#steps", /Reason: replaced\./);
  await keypad.says("display", /^\D*$/);
  await keypad.type(NUMBER);
  await keypad.click("send");
  await sent();
});

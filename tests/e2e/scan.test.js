// @engines chromium: the picture, and the page behind it, are the same in every engine
// A shopper scans the receipt from the till's screen: at once, and while the till is offline.
import assert from "node:assert/strict";
import { test } from "node:test";
import jsQR from "jsqr";
import { PNG } from "pngjs";
import { resize } from "./support/browser.js";
import { Keypad } from "./support/keypad.js";
import { connected, session } from "./support/session.js";
import { holdTimers } from "./support/timers.js";
import { eventually } from "./support/wait.js";

const e2e = session({ relay: true });
let keypad;

async function open(choice) {
  await connected(e2e, { allowScan: true, ...choice });
  keypad = new Keypad(e2e.window);
  return e2e;
}

/** Sells, shows the code in a window of that size, and gives what a phone reads from the screen. */
async function scan(...size) {
  await e2e.till.sell(keypad);
  await keypad.holds("return find('scan')?.checkVisibility()", true, "There is nothing to scan.");
  await keypad.shows();
  await keypad.click("scan");
  await resize(e2e.window, ...size);
  const drawn = () => keypad.run("return find('code').querySelector('svg')");
  const code = await eventually(drawn, "The code never came.");
  const { width, height, data } = PNG.sync.read(Buffer.from(await code.takeScreenshot(), "base64"));
  assert.ok(width >= 240, `${width} px`);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

async function done() {
  await keypad.holds("return find('done').checkVisibility()", true, "The code cannot be taken away.");
  await new Promise((resolve) => setTimeout(resolve, 500)); // Until pointers count.
  await keypad.click("done");
  await keypad.isGone();
}

test("the receipt is scanned: at once, and later from an offline till, whose link waits", async () => {
  const { till, window, service } = await open();
  const messages = (await service.messages()).length;
  const now = await scan(1280, 800);
  assert.ok(now.startsWith(`${service.settings.baseUrl}/q/`), "not the service's own");
  await done();
  await till.says("#tray figcaption", "The customer has the receipt's code. Nothing was printed.");
  await till.isTidy();

  await till.click("#cut-network");
  const later = await scan(360, 640);
  assert.notEqual(later, now);
  const ends = "return ['code', 'done'].map((part) => find(part).getBoundingClientRect().bottom <= innerHeight)";
  assert.deepEqual(await keypad.run(ends), [true, true], "the code or its button does not fit");
  await done();
  await resize(window, 1280, 800);
  const kept = "The customer has the receipt's code. Nothing was printed. It opens once the order is sent.";
  await till.says("#tray figcaption", kept);

  const own = await window.getWindowHandle();
  await window.switchTo().newWindow("window");
  const phone = await window.getWindowHandle();
  try {
    await window.get(now);
    await till.says("body", /Demo Bakery.*\$8\.12 Order 1041.*Sourdough loaf/);
    await window.get(later);
    await till.says("h1", "Your receipt will be here in a moment");
    const refusedOnce = `const { fetch } = window;
      window.fetch = async () => ((window.fetch = fetch), Response.json({}, { status: 429 }));`;
    await window.executeScript(refusedOnce);
    await window.switchTo().window(own);
    await till.click("#cut-network");
    await window.switchTo().window(phone);
    await till.says("body", /Demo Bakery.*Order 1042.*Sourdough loaf/); // It looks again by itself.
  } finally {
    await window.close();
    await window.switchTo().window(own);
  }
  assert.equal((await service.messages()).length, messages);
});

test("a kiosk: a scan is thanked for without a printer's sign; thanks are in the shopper's language", async () => {
  const { till, window } = await open({ languages: true });
  await till.reopen("?kiosk");
  await holdTimers(window, 10_000); // What a shopper left there stays.
  const ask = async () => {
    await till.click("#products button");
    await till.charge();
    await keypad.shows();
  };
  await ask();
  await keypad.click("scan");
  await done();
  await till.says("#customer-thanks", "Thank you!");
  const sign = "return getComputedStyle(document.querySelector('#customer-thanks'), '::before').maskImage";
  assert.match(await window.executeScript(sign), /circle/); // A check mark, in the style sheet: it is there offline.
  await ask();
  await keypad.click("language");
  const hebrew = await keypad.run("return [...find('languages').children].find(({ lang }) => lang === 'he')");
  await hebrew.click();
  await keypad.tap("0502345678");
  await keypad.click("send");
  const middle = await keypad.told(/•••• 5678/);
  assert.ok(Math.abs(middle - 640) < 2, `${middle} px`);
  await till.says("#customer-thanks", "תודה!");
  await till.says("#paid", /^שולם/);
  assert.equal(await till.element("#customer-thanks").getAttribute("dir"), "rtl");
  await window.executeScript("return document.exitFullscreen().catch(() => {})");
});

test("a reload while the code is shown: the order is there once, its link opens, the next page prints", async () => {
  const { till, window, service } = await open();
  const orders = await service.orders();
  const link = await scan(1280, 800);
  await till.holds("return document.querySelector('#outbox-summary').textContent", "1 accepted · 0 waiting");
  await till.reopen();
  await till.says("#tray figcaption", "The till was left before the customer chose. Receipt printed.");
  assert.equal(await service.orders(), orders + 1);
  await window.get(link);
  await till.says("body", /Demo Bakery.*Order 1041.*Sourdough loaf/);
});

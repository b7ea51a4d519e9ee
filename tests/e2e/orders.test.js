// @tier first
import assert from "node:assert/strict";
import { test } from "node:test";
import { testInChromium } from "./support/in-chromium.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { connected, session } from "./support/session.js";
import { becomes } from "./support/wait.js";

// Orders of a connected till: to the service, to the shopper's phone, and through a dead network.
const e2e = session({ relay: true });
const NUMBER = "0502345678";
let keypad;

async function open() {
  await connected(e2e);
  keypad = new Keypad(e2e.window);
  return e2e;
}

const sell = (number) => e2e.till.sell(keypad, number);

const count = async () => (await e2e.service.messages()).length;

/** Waits until so many messages are out; gives the newest. */
async function message(expected) {
  await becomes(count, expected, "The message never came, or it came twice.");
  return (await e2e.service.messages()).at(-1);
}

test("an order is sent, the message comes, and the shopper opens the receipt", async () => {
  const { till, window, service } = await open();
  const before = await count();
  await sell(NUMBER);
  await keypad.told("Sent to •••• 5678");
  await screenshot(window, "receipt-sent");
  await till.says("#tray figcaption", /^Receipt sent/);
  const { to, text } = await message(before + 1);
  assert.equal(to, "•••• 5678");
  assert.match(text, /^Your receipt from Demo Bakery/);
  await till.says(".sms", /\/r\//);
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
  const link = await till.element(".sms a").getAttribute("href");
  assert.ok(text.endsWith(link));
  assert.ok(link.startsWith(`${service.settings.baseUrl}/r/`), "not the service's own");
  await till.isTidy();

  const own = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  try {
    await window.get(link);
    await till.says("body", /Demo Bakery.*\$8\.12 Order 1041.*Sourdough loaf/);
    assert.doesNotMatch((await window.getPageSource()).replace(/\D/g, ""), /0?502345678/);
  } finally {
    await window.close();
    await window.switchTo().window(own);
  }
});

test("a reload while the shopper is asked: the order is sent, and the next page prints", async () => {
  const { till } = await open();
  await sell();
  await till.reopen();
  await till.says("#tray figcaption", "The till was left before the customer chose. Receipt printed.");
  await till.says("#tray .paper", /Order 1041.*Sourdough loaf.*Total/);
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
});

testInChromium("what is weighed is sold, and given back", async () => {
  const { till, service } = await open();
  const weigh = () => till.click("#products li:has([src*=cookie]) button");
  const onPaper = async () => {
    await till.charge();
    await keypad.shows();
    await keypad.click("print");
  };
  await weigh();
  await weigh();
  await till.says("#lines", "Chocolate cookies$19.90 / kg $14.13 0.71 kg");
  await onPaper();
  await till.says("#tray .paper", /0\.71 kg Chocolate cookies\$14\.13/);
  await till.says("#outbox-summary", "1 accepted · 0 waiting");

  const orders = await service.orders();
  await till.click("#recent");
  await till.click("#refund");
  await till.click(".question [value=refund]"); // It refunds the order before.
  await till.says("#order-title", "Refund of order 1041");
  await till.click("#lines .less");
  await till.says("#charge", "Refund $7.64");
  await onPaper();
  await till.says("#paid", "Order 1041 refunded, $7.64.");
  await till.says("#tray .paper", /Refund of order 1041-0\.355 kg Chocolate cookies-\$7\.06/);
  await till.says("#outbox-summary", "2 accepted · 0 waiting");
  assert.equal(await service.orders(), orders + 1);
  await till.isTidy();
});

testInChromium("paper: the order is sent", async () => {
  const { till } = await open();
  await till.click("#products button");
  await till.click("#charge");
  await till.click(".cash [value='1000']");
  await keypad.shows();
  await keypad.says("context", "Paid $8.12 · Order 1041 · Change $1.88");
  await keypad.click("print");
  await till.says("#tray figcaption", "The customer chose paper. Receipt printed.");
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
});

test("offline: queued and printed; the tab is closed; online again, there is one order and one message", async () => {
  const { till, window, service } = await open();
  const [before, orders] = [await count(), await service.orders()];
  await till.click("#cut-network");
  await sell(NUMBER);
  await keypad.told("We'll text your receipt to •••• 5678");
  await screenshot(window, "receipt-queued");
  await till.says("#tray figcaption", "The order is sent later, and with it the text message. Receipt printed.");
  await till.says("#outbox-summary", /^0 accepted · 1 waiting$/);
  await till.says("#waiting", "Offline · 1 waiting");
  await till.isTidy();
  assert.deepEqual([await count(), await service.orders()], [before, orders]);

  const old = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  const fresh = await window.getWindowHandle();
  await window.switchTo().window(old);
  await window.close();
  await window.switchTo().window(fresh);
  await till.reopen();
  await message(before + 1);
  // By whichever object of the page was first: the one that sells counts what it has heard of.
  await till.says("#outbox-summary", /^[01] accepted · 0 waiting$/);
  await till.reopen();
  await till.says("#outbox-summary", /^0 accepted · 0 waiting$/);
  assert.deepEqual([await count(), await service.orders()], [before + 1, orders + 1]);
});

test("the network comes back: what waits is sent in the same page", async () => {
  const { till } = await open();
  await till.click("#cut-network");
  await sell();
  await keypad.click("print");
  await till.says("#tray figcaption", /Receipt printed\.$/);
  await sell(NUMBER);
  await till.says("#tray figcaption", /Receipt printed\.$/);
  await till.says("#outbox-summary", /^0 accepted · 2 waiting$/);
  await till.click("#cut-network");
  await till.says("#outbox-summary", "2 accepted · 0 waiting");
  await till.says("#waiting", "All orders sent");
  await till.says("#steps", /Order 1041 accepted\..*Order 1042 accepted\./s);
  await till.click("#recent");
  await till.says(".outbox .why", "Card · receipt printed · texted •••• 78 · order sent");
});

testInChromium("an order that waits is listed by its number, and discarded only after a question", async () => {
  const { till } = await open();
  await till.click("#cut-network");
  await sell();
  await keypad.click("print");
  await till.click("#waiting");
  await till.says("#outbox .name", "Order 1041");
  await till.says("#outbox .why", "No connection. It is sent as soon as there is one.");
  const discard = "#outbox [aria-label='Discard Order 1041']";
  await till.click(discard);
  await till.click(".question button[value='']:not(.quiet)");
  await till.says("#outbox-summary", "0 accepted · 1 waiting");
  await till.click(discard);
  await till.click(".question #confirm");
  await till.says(".orders > p", /^Nothing waits\./);
  await till.says("#outbox-summary", "0 accepted · 0 waiting");
});

testInChromium("the store's profile and the customers list", async () => {
  const { till, window } = await open();
  await till.click("#store summary");
  await till.says("#store-name", /^Demo Bakery/);
  await window.executeScript(`
    const form = document.querySelector("#store-form");
    form.elements.name.value = "Corner Bakery";
    form.elements.website.value = "https://bakery.example";
    form.requestSubmit();`);
  await till.says("#steps", /The store's profile is changed\./);
  await window.executeScript(`
    const file = new File(["id,name,phone\\nc-1,Dana,+972502345678\\nc-2,Avi,12\\n"], "customers.csv");
    const list = new DataTransfer();
    list.items.add(file);
    const input = document.querySelector("#customers");
    input.files = list.files;
    input.dispatchEvent(new Event("change"));`);
  await till.says("#steps", /1 customers kept\..*1 refused\..*invalid_member.*\/customers\/1\/phone/s);
  await till.isTidy();
});

testInChromium("a second till of the merchant needs no connecting", async () => {
  await open();
  await e2e.forget();
  const { till, window } = e2e;
  keypad = new Keypad(window);
  await till.reopen();
  await till.says("#connection", /^Connected to Demo Bakery/);
  await sell(NUMBER);
  await till.says("#tray figcaption", /^Receipt sent/);
});

testInChromium("disconnected at the till, the merchant is disconnected", async () => {
  const { till, service } = await open();
  await till.click("#connect");
  await till.click("#confirm");
  await till.says("#connection", "Not connected");
  await becomes(async () => (await service.relay.connection()).body.connected, false);
});

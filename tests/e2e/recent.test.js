// @engines chromium: the till's own code, over calls that orders.test.js does in each engine
// What a cashier does beside ringing up: takes cash, gives a discount, voids a line, looks back at an order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "./support/axe.js";
import { Keypad } from "./support/keypad.js";
import { session } from "./support/session.js";
import { becomes } from "./support/wait.js";

const e2e = session({ relay: true });
const NUMBER = "0502345678";
const RECEIPT = { "till-receipt": JSON.stringify({ region: "IL" }) };
const first = "#products button";

test("cash: the change is told, and stands on the paper; a second tap on Charge pays nothing", async () => {
  const { till, window } = await e2e.open();
  await till.click(first);
  await till.click("#charge");
  await till.says(".cash", "Cash, exact$8.12$10.00$1.88 change$20.00$11.88 change Other amount");
  assert.deepEqual(await violations(window, ".question"), []);
  await window.executeScript(
    "document.querySelector('[value=card]').dispatchEvent(new MouseEvent('click', { detail: 2, cancelable: true }))",
  );
  await till.click(".question [value='']");
  await till.focuses("charge");
  await till.says("#order-title", "Order 1041");
  await till.click("#charge");
  await till.click(".cash [value='1000']");
  await till.says("#paid", "Order 1041 paid, $8.12. Change $1.88.");
  await till.says("#tray .paper", /Cash\$10\.00Change\$1\.88/);

  // However late a browser says that a question is closed, the next key is meant for the next one.
  await window.executeScript("addEventListener('close', (event) => event.stopImmediatePropagation(), true)");
  await till.click(first);
  await till.click("#charge");
  await till.click("[value=other]");
  await till.type("5");
  assert.equal(await till.element(".question input").getAttribute("validationMessage"), "At least $8.12.");
  assert.deepEqual(await violations(window, ".question"), []);
  await till.element(".question input").clear();
  await till.click(".question input");
  await till.type("12,5");
  await till.says("#paid", "Order 1042 paid, $8.12. Change $4.38.");

  // Another tab has charged meanwhile.
  await window.executeScript("localStorage.setItem('till-order-number', '1050')");
  await till.click(first);
  await till.charge();
  await till.says("#tray .paper", /Order 1050/);
});

test("a quantity is typed, a line is taken out, and a discount goes over all of it", async () => {
  const { till, window } = await e2e.open();
  await window.executeScript("for (const at of [0, 1]) document.querySelectorAll('#products button')[at].click()");
  await till.click("#lines .count");
  assert.deepEqual(await violations(window, ".question"), []);
  await till.type("12");
  await till.says("#subtotal", "$93.75");
  await till.focuses("button");
  await till.click("#lines li:last-child .count");
  await till.click(".question [value=void]");
  await till.says("#subtotal", "$90.00");
  await till.click("#discount");
  await till.type("12.5");
  await till.says("#reduction", "Discount 12.5%-$11.25");
  await till.says("#charge", "Charge $85.25"); // 78.75, and 8.25 % of it.
  await till.reopen();
  await till.says("#charge", "Charge $85.25");
  await till.charge();
  await till.says("#tray .paper", /12 × Sourdough loaf\$90\.00.*Discount 12\.5%-\$11\.25.*Total\$85\.25/);
  await till.click("#recent");
  await till.click(".outbox [value^=refund]");
  await till.says("#reduction", "Discount 12.5%$11.25");
  await till.says("#charge", "Refund $85.25");
});

test("recent orders: printed again after a reload, refunded once, by name", async () => {
  const { till, window, service } = await e2e.open({ stored: RECEIPT });
  const keypad = new Keypad(window);
  await till.connect(service.settings.account, { ereceipts: true });
  await till.click(first);
  await till.charge();
  await keypad.shows();
  await keypad.tap(NUMBER);
  await keypad.click("send");
  await till.says("#tray figcaption", /^Receipt sent/);
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
  await till.reopen();
  await till.click("#recent");
  await till.says(".outbox .why", "Card · receipt on the phone •••• 78 · order sent");
  assert.deepEqual(await violations(window, ".question"), []);
  const shown = "return Array.from(document.querySelectorAll('.outbox button:not([hidden])'), ({ value }) => value)";
  const values = await window.executeScript(shown);
  assert.deepEqual(
    values.map((value) => value.split(" ")[0]),
    ["again", "text", "refund"],
  );
  await till.click(".outbox [value^=again]");
  await till.says("#tray figcaption", "Order 1041: receipt printed again.");
  await till.says("#tray .paper", /^CopyDemo Bakery.*Order 1041.*Sourdough loaf.*Card\$8\.12/);

  const orders = await service.orders();
  await till.click("#recent");
  await till.click(".outbox [value^=refund]");
  await till.says("#order-title", "Refund of order 1041");
  // Nothing else was sold, and no more of it.
  await till.click("#lines .more");
  await till.click("#products li:nth-child(2) button");
  await till.says("#announcer", "There was no more Baguette in the order.");
  await till.says("#charge", "Refund $8.12");
  await till.click("#charge");
  await till.says("#payment-title", "Refund of order 1041 $8.12");
  await till.click(".question [value=card]");
  await keypad.shows();
  // Who looks at the list while the customer answers, at a display perhaps, sees the answer.
  await window.executeScript("document.querySelector('#recent').click()");
  await till.says(".outbox .why", /the customer is being asked/);
  await keypad.run("find('print').click()");
  await till.says(".outbox .why", /receipt printed/);
  await till.click(".orders [value='']");
  await till.says("#tray .paper", /Refund of order 1041-1 × Sourdough loaf-\$7\.50/);
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
  assert.equal(await service.orders(), orders + 1);
  await till.click("#recent");
  await till.says(
    ".outbox",
    /^Refund of order 1041.*Card · receipt printed · order sent.*Order 1041.*Refunded \$8\.12 · Card/,
  );
  assert.deepEqual(
    (await window.executeScript(shown)).map((value) => value.split(" ")[0]),
    ["again", "text", "again", "text"],
    "An order can be refunded twice.",
  );
  const stored = await window.executeScript("return JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  assert.ok(!stored.replace(/\D/g, "").includes(NUMBER.slice(1)), "The number is kept.");
});

test("an order is refunded in parts, until nothing of it is left", async () => {
  const { till, window } = await e2e.open();
  const struck = "return document.querySelector('.outbox li:last-child').dataset.refunded === ''";
  await window.executeScript("for (const at of [0, 1, 1]) document.querySelectorAll('#products button')[at].click()");
  await till.charge();
  await till.click("#recent");
  await till.click(".outbox [value^=refund]");
  await till.click("#lines li:last-child .less");
  await till.click("#lines li:first-child .less");
  await till.says("#charge", "Refund $4.06");
  await till.charge();
  await till.click("#recent");
  await till.says(".outbox li:last-child .why", /^Refunded \$4\.06 · Card/);
  assert.equal(await window.executeScript(struck), false);
  await till.click(".outbox li:last-child [value^=refund]");
  await till.says("#lines", "Sourdough loaf$7.50 each -$7.50 1 Baguette$3.75 each -$3.75 1");
  await till.click("#lines li:last-child .more"); // One is given back already.
  await till.says("#charge", "Refund $12.18");
  await till.charge();
  await till.click("#recent");
  await till.says(".outbox li:last-child .why", /^Refunded \$16\.24 · Card/);
  assert.equal(await window.executeScript(struck), true);
  await till.click("#refund");
  await till.type("1041");
  await till.says("#refunded-title", "Nothing of this order is left to refund");
});

test("an order sold without a connection waits for one; it is texted later, and to another number", async () => {
  const { till, window, service } = await e2e.open({ stored: RECEIPT });
  const keypad = new Keypad(window);
  await till.click(first);
  await till.charge();
  await till.says("#tray figcaption", "No account is connected: nobody was asked. Receipt printed.");
  const [orders, messages] = [await service.orders(), (await service.messages()).length];
  await till.says("#waiting", "1 waiting");
  await till.click("#waiting");
  await till.says("#outbox .why", "No account is connected. It goes to the one that is connected next.");
  await till.click(".orders [value='']");
  await till.click("#recent");
  await till.says(".outbox .why", "Card · receipt printed · waits to be sent");
  await till.click(".orders [value='']");
  await till.connect(service.settings.account, { ereceipts: true });
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
  await till.click("#recent");
  await till.click(".outbox [value^=text]");
  await keypad.shows();
  await till.says("#paid", "Order 1041: its receipt");
  await keypad.says("none", "Back");
  await keypad.click("none");
  await till.says("#tray figcaption", "Order 1041: nothing was sent.");
  await till.says("#outbox-summary", "2 accepted · 0 waiting");
  await till.click("#recent");
  await till.says(".outbox .why", "Card · receipt printed · order sent");
  await till.click(".outbox [value^=text]");
  await keypad.shows();
  await keypad.tap(NUMBER);
  await keypad.click("send");
  await till.says("#tray figcaption", /^Receipt sent/);
  await till.says("#outbox-summary", "3 accepted · 0 waiting");
  assert.equal(await service.orders(), orders + 3);
  const more = async () => (await service.messages()).length - messages;
  await becomes(more, 1);
  await till.click("#recent");
  await till.says(".outbox .why", "Card · receipt on the phone •••• 78 · order sent");
  await till.click(".outbox [value^=text]");
  await keypad.shows();
  await keypad.tap("0523456789");
  await keypad.click("send");
  await till.says("#outbox-summary", "4 accepted · 0 waiting");
  await becomes(more, 2, "No second message came.");
});

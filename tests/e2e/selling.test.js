import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "./support/session.js";

const e2e = session();

test("an order is rung up, changed and charged; a new one starts", async () => {
  const { till, window } = await e2e.open();
  const tile = (name) => `//ul[@id="products"]//button[span[@class="name"]="${name}"]`;
  const tap = async (name) =>
    window.executeScript("document.evaluate(arguments[0], document).iterateNext().click()", tile(name));

  assert.equal(await till.text("#total"), "$0.00");
  await tap("Butter croissant");
  await tap("Butter croissant");
  await tap("Cappuccino");
  // 2 × 3.50 + 4.50 = 11.50; 8.25 % of it is 0.94875.
  assert.equal(await till.text("#subtotal"), "$11.50");
  assert.equal(await till.text("#tax"), "$0.95");
  assert.equal(await till.text("#total"), "$12.45");
  assert.equal(await till.text("#charge"), "Charge $12.45");

  await till.click('[aria-label="One less Cappuccino"]');
  assert.equal(await till.text("#subtotal"), "$7.00");
  assert.equal(await window.executeScript("return document.querySelectorAll('#lines > li').length"), 1);

  await till.click("#charge");
  await till.says("#paid", "Order 1041 paid, $7.58.");
  assert.equal(await till.text("#order-title"), "Order 1042");
  assert.equal(await till.text("#total"), "$0.00");
  await till.click("#charge"); // Nothing to charge: nothing happens.
  assert.equal(await till.text("#order-title"), "Order 1042");
});

test("a category shows its own products only", async () => {
  const { till, window } = await e2e.open();
  const shown = () =>
    window.executeScript(
      "return Array.from(document.querySelectorAll('#products > li:not([hidden]) .name'), (name) => name.textContent)",
    );
  assert.equal((await shown()).length, 16);
  await till.click("#categories button:last-child");
  assert.deepEqual(await shown(), ["Espresso", "Cappuccino", "Iced tea", "Orange juice"]);
});

// @tier first
// @engines chromium: the till's own code; that a reload keeps what is stored, orders and reload see in each engine
import { test } from "node:test";
import { By } from "selenium-webdriver";
import { session } from "./support/session.js";

const e2e = session();

test("an order is rung up, changed and charged; a new one starts", async () => {
  const { till, window } = await e2e.open();
  const tap = (name) =>
    window.findElement(By.xpath(`//ul[@id="products"]//button[.//span[@class="name"]="${name}"]`)).click();

  await till.says("#total", "$0.00");
  await tap("Butter croissant");
  await tap("Butter croissant");
  await tap("Cappuccino");
  // 2 × 3.50 + 4.50 = 11.50; 8.25 % of it is 0.94875.
  await till.says("#subtotal", "$11.50");
  await till.says("#tax", "$0.95");
  await till.says("#total", "$12.45");
  await till.says("#charge", "Charge $12.45");

  await till.click('[aria-label="One less Cappuccino"]');
  await till.says("#subtotal", "$7.00");
  await till.holds("return document.querySelectorAll('#lines > li').length", 1);

  await till.charge();
  await till.says("#paid", "Order 1041 paid, $7.58.");
  await till.says("#order-title", "Order 1042");
  await till.says("#total", "$0.00");
  await till.click("#charge"); // Nothing to charge: nothing happens.
  await tap("Cappuccino");
  await till.says("#total", "$4.87");
  await till.says("#order-title", "Order 1042");
});

test("a reload keeps the order that is rung up, and counts on; Clear can be undone", async () => {
  const { till, window } = await e2e.open();
  const tap = () => window.executeScript("document.querySelectorAll('#products button')[0].click()");
  await tap();
  await tap();
  await till.reopen();
  await till.says(".count", "2");
  await till.says("#charge", "Charge $16.24");
  await till.click("#clear-order");
  await till.says("#charge", "Charge");
  await till.click("#clear-order");
  await till.says("#charge", "Charge $16.24");
  await till.charge();
  await till.says("#order-title", "Order 1042");
  await till.reopen();
  await till.says("#order-title", "Order 1042");
  await till.says("#charge", "Charge");
});

test("a category shows its own products only", async () => {
  const { till } = await e2e.open();
  const shown =
    "return Array.from(document.querySelectorAll('#products > li:not([hidden]) .name'), (name) => name.textContent)";
  await till.holds(`${shown}.length`, 16);
  await till.click("#categories button:last-child");
  await till.holds(shown, ["Espresso", "Cappuccino", "Iced tea", "Orange juice"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { session } from "./support/session.js";

const e2e = session();
const press = (...keys) =>
  e2e.window
    .actions()
    .sendKeys(...keys)
    .perform();

/** Presses Tab until `id` has the focus, in the page that is in focus. */
async function tabTo(id, limit = 40) {
  const seen = [];
  for (let presses = 0; presses <= limit; presses += 1) {
    const focused = await e2e.till.focused();
    if (focused === id) return;
    seen.push(focused);
    await press(Key.TAB);
  }
  assert.fail(`Tab never reached ${id}: ${seen.join(", ")}`);
}

test("keyboard only: connect", async () => {
  const { till, service } = await e2e.open();
  const { email, password } = service.settings.account;
  await tabTo("connect");
  await press(Key.ENTER);
  await till.frame.shows("sign-in");

  await tabTo("iframe");
  await till.frame.inside(async () => {
    await tabTo("email");
    await press(email);
    await tabTo("password");
    await press(password, Key.ENTER);
  });
  await till.frame.shows("consent");
  await tabTo("iframe");
  await till.frame.inside(async () => {
    const isStore = () => e2e.window.executeScript("return document.activeElement.name === 'store'");
    for (let presses = 0; !(await isStore()); presses += 1) {
      assert.ok(presses < 40, "Tab never reached a store");
      await press(Key.TAB);
    }
    await press(Key.SPACE);
    await tabTo("connect");
    await press(Key.ENTER);
  });

  await till.says("#connection", /^Connected to /);
  await till.isTidy();
  assert.equal(await till.focused(), "connect");
});

test("keyboard only: sell", async () => {
  const { till, window } = await e2e.open();
  await window.executeScript("document.querySelector('#products button').id = 'first-product'");
  await tabTo("first-product");
  await press(Key.ENTER);
  await press(Key.SPACE);
  await till.says("#order-count", "2");
  await tabTo("charge", 60);
  const total = await till.text("#total");
  await press(Key.ENTER);
  await till.says("#paid", `Order 1041 paid, ${total}.`);
  assert.equal(await till.focused(), "charge");
});

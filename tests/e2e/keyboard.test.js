// @tier first
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

const FOCUSED = "const focused = document.activeElement; return focused?.id || focused?.name || focused?.localName";

/** Presses Tab until what has that ID, name or kind has the focus, in the page that is in focus. */
async function tabTo(name, limit = 60) {
  const seen = [];
  while (seen.length <= limit) {
    const focused = await e2e.window.executeScript(FOCUSED);
    if (focused === name) return;
    seen.push(focused);
    await press(Key.TAB);
  }
  assert.fail(`Tab never reached ${name}: ${seen.join(", ")}`);
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
    await tabTo("store");
    await press(Key.SPACE);
    await tabTo("connect");
    await press(Key.ENTER);
  });

  await till.says("#connection", "Connected to Demo Bakery, Market Street");
  await till.isTidy();
  await till.focuses("connect");
});

test("keyboard only: sell", async () => {
  const { till, window } = await e2e.open();
  await window.executeScript("document.querySelector('#products button').id = 'first-product'");
  await tabTo("first-product");
  await press(Key.ENTER);
  await press(Key.SPACE);
  await till.says("#order-count", "2");
  await tabTo("charge");
  const total = await till.says("#total", /^\$[1-9]/);
  await press(Key.ENTER);
  await till.focuses("button"); // How it is paid: Escape goes back, Enter takes the card.
  await press(Key.ESCAPE);
  await till.focuses("charge");
  await press(Key.ENTER, Key.ENTER);
  await till.says("#paid", `Order 1041 paid, ${total}.`);
  await till.focuses("charge");
});

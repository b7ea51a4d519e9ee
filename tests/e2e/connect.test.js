// @tier first
import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { testInChromium } from "./support/in-chromium.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();

test("the merchant connects: the till holds the token set and says whose account it is", async () => {
  const { till, service, window } = await e2e.open();
  await till.says("#connection", "Not connected");

  await till.click("#connect");
  await till.frame.shows("sign-in");
  await screenshot(window, "sign-in");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await screenshot(window, "consent");
  await till.frame.connect({ ereceipts: true });

  await till.says("#connection", "Connected to Demo Bakery, Old Harbor");
  await till.says("#token-account", "Demo Bakery");
  await till.says("#token-access", /^with the back end, expires \d/);
  await till.says("#token-refresh", "with the back end");
  await till.says("#token-ereceipt", "on");
  await till.isTidy();
  await till.keepsSecrets(service.settings);
  await till.focuses("connect");
  await screenshot(window, "connected");
  const statuses = await window.executeScript(
    "return Array.from(document.querySelectorAll('#steps > [data-status]'), ({ dataset }) => dataset.status)",
  );
  assert.deepEqual(statuses, ["pending", "finished"]);
});

test("the till forgets its tokens, and connects again", async () => {
  const { till, service } = e2e;
  await till.click("#connect");
  await till.click("#confirm");
  await till.says("#connection", "Not connected");
  await till.connect(service.settings.account);
  await till.says("#token-ereceipt", "off");
  await till.isTidy();
});

test("the merchant refuses before signing in", async () => {
  const { till } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.frame.cancel();
  await till.step("cancelled");
  await till.says("#status", "cancelled");
  await till.says("#connection", "Not connected");
  await till.isTidy();
});

testInChromium("the merchant refuses after signing in", async () => {
  const { till, service } = await e2e.open();
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await till.frame.cancel();
  await till.says("#status", "cancelled");
  await till.says("#connection", "Not connected");
  await till.isTidy();
});

test("Escape closes the dialog", async () => {
  const { till, window } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await window.executeScript("window.focus()"); // Looking into the frame, WebKit's driver left the keyboard there.
  await window.actions().sendKeys(Key.ESCAPE).perform();
  await till.step("closed");
  await till.says("#connection", "Not connected");
  await till.focuses("connect");
  await till.isTidy();
});

// In each engine, reload.test.js closes it so.
testInChromium("the dialog's button closes it", async () => {
  const { till } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.click("dialog button");
  await till.step("closed");
  await till.rests();
  await till.focuses("connect");
  await till.isTidy();
});

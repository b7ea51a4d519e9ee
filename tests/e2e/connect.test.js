import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();

test("the merchant connects: the till holds the token set and says whose account it is", async () => {
  const { till, service, window } = await e2e.open();
  assert.equal(await till.text("#connection"), "Not connected");

  await till.click("#connect");
  await till.frame.shows("sign-in");
  await screenshot(window, "sign-in");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await screenshot(window, "consent");
  await till.frame.connect({ ereceipts: true });

  await till.says("#connection", /^Connected to \S/);
  await till.says("#token-access", /^held, expires \d/);
  await till.says("#token-refresh", "held");
  await till.says("#token-ereceipt", "on");
  assert.equal(await till.text("#token-account"), (await till.text("#connection")).replace("Connected to ", ""));
  await till.isTidy();
  await till.keepsSecrets(service.settings);
  assert.equal(await till.focused(), "connect");
  await screenshot(window, "connected");

  const codes = (await till.steps()).map((step) => step.code);
  assert.deepEqual(
    codes.filter((code) => ["pending", "finished"].includes(code)),
    ["pending", "finished"],
  );
});

test("the till forgets its tokens, and connects again", async () => {
  const { till, service } = e2e;
  await till.click("#connect");
  await till.click("#disconnect");
  await till.says("#connection", "Not connected");
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect();
  await till.says("#connection", /^Connected to /);
  await till.says("#token-ereceipt", "off");
  await till.isTidy();
});

test("the merchant refuses before signing in", async () => {
  const { till } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.frame.cancel();
  const step = await till.step("cancelled");
  await till.rests();
  assert.ok(step);
  assert.equal(await till.text("#status"), "cancelled");
  assert.equal(await till.text("#connection"), "Not connected");
  await till.isTidy();
});

test("the merchant refuses after signing in", async () => {
  const { till, service } = await e2e.open();
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await till.frame.cancel();
  await till.rests();
  assert.equal(await till.text("#status"), "cancelled");
  assert.equal(await till.text("#connection"), "Not connected");
  await till.isTidy();
});

test("a wrong password connects nothing, a second try does", async () => {
  const { till, service } = await e2e.open();
  await till.click("#connect");
  await till.frame.signIn({ ...service.settings.account, password: "not the password" });
  await till.frame.refusesSignIn();
  await till.frame.signIn(service.settings.account);
  await till.frame.connect();
  await till.says("#connection", /^Connected to /);
});

test("Escape closes the dialog", async () => {
  const { till, window } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await window.executeScript("window.focus()"); // Looking into the frame, WebKit's driver left the keyboard there.
  await window.actions().sendKeys(Key.ESCAPE).perform();
  await till.step("closed");
  await till.rests();
  assert.equal(await till.text("#connection"), "Not connected");
  assert.equal(await till.focused(), "connect");
  await till.isTidy();
});

test("the dialog's button closes it", async () => {
  const { till } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.click("dialog button");
  await till.step("closed");
  await till.rests();
  assert.equal(await till.focused(), "connect");
  await till.isTidy();
});

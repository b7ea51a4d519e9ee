import assert from "node:assert/strict";
import { test } from "node:test";
import { Keypad } from "./support/keypad.js";
import { session } from "./support/session.js";

const e2e = session();
const texts = async () => (await e2e.till.steps()).map((step) => step.text).join("\n");

async function connect() {
  const { till, service } = e2e;
  await till.frame.signIn(service.settings.account);
  await till.frame.connect({ ereceipts: true });
  await till.says("#connection", /^Connected to \S/);
}

test("a reload in the middle of the consent: the next page goes on with the same integration", async () => {
  const { till, window } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  const integration = () =>
    window.executeScript("return new URL(document.querySelector('iframe').src).searchParams.get('integration_token')");
  const before = await integration();
  await till.reopen();
  await till.frame.shows("sign-in");
  assert.ok(before && (await integration()) === before, "Another integration.");
  await till.step("pos.resume()");
  await connect();
  await till.rests();
  await till.isTidy();
});

test("handed over, and a reload leaves the till connected: an order asks for a number", async () => {
  const { till, window, service } = e2e;
  await window.wait(async () => (await texts()).includes("Handed over."), 10_000, "The tokens were never handed over.");
  await till.reopen();
  await till.says("#connection", /^Connected to \S/);
  await till.says("#token-access", /^with the back end, expires \d/);
  await till.says("#token-ereceipt", "on");
  await window.executeScript("document.querySelector('#products button').click()");
  await till.click("#charge");
  const keypad = new Keypad(window);
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", /Receipt printed\.$/);
  await till.keepsSecrets(service.settings);
});

test("forgotten, a reload finds nothing", async () => {
  const { till } = e2e;
  await till.click("#connect");
  await till.click("#disconnect");
  await till.says("#connection", "Not connected");
  await till.reopen();
  await till.rests();
  assert.equal(await till.text("#connection"), "Not connected");
});

test("the back end is down: the tokens are handed over after a reload", async () => {
  const { till, window } = await e2e.open();
  await till.provoke("persistTokens");
  await connect();
  await window.wait(async () => (await texts()).includes("not handed over"), 10_000, "The back end never refused.");
  assert.doesNotMatch(await texts(), /Handed over\./);
  await till.reopen();
  await window.wait(async () => (await texts()).includes("Handed over."), 15_000, "The tokens were never handed over.");
  await till.says("#connection", /^Connected to \S/);
  await till.rests();
  await till.isTidy();
});

test("a dialog that the merchant closed does not come again", async () => {
  const { till } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.click("dialog button");
  await till.step("closed");
  await till.rests();
  await till.reopen();
  await till.rests();
  await till.isTidy();
  assert.equal(await till.text("#connection"), "Not connected");
});

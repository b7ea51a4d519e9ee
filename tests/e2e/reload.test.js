// @tier first
import assert from "node:assert/strict";
import { test } from "node:test";
import { Keypad } from "./support/keypad.js";
import { session } from "./support/session.js";

const e2e = session({ script: new URL("support/first-state.js", import.meta.url) });
const CONNECTED = "Connected to Demo Bakery, Old Harbor";

const isHandedOver = () => e2e.till.holds("return window.isHandedOver()", true, "The hand-over was never over.");

/** Presses the button of a connected till, which asks first: it never was, and never becomes, another one. */
async function asksFirst(steps) {
  const { till, window } = e2e;
  await till.click("#connect");
  await till.focuses("keep");
  await till.click("#keep");
  await till.focuses("connect");
  const looks = await window.executeScript("return window.looks");
  assert.deepEqual(
    looks.map(([connection, button]) => [connection, button]),
    [[CONNECTED, "Disconnect"]],
  );
  assert.match(looks[0][2], steps);
}

test("a reload in the middle of the consent: the next page goes on with the same integration", async () => {
  const { till, window, service } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  const integration = () =>
    window.executeScript("return new URL(document.querySelector('iframe').src).searchParams.get('integration_token')");
  const before = await integration();
  await till.reopen();
  await till.frame.shows("sign-in");
  assert.ok(before && (await integration()) === before, "Another integration.");
  await till.step("pos.resume()");
  await till.says("#connect", "Stop");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect({ ereceipts: true });
  await till.says("#connection", CONNECTED);
  await till.isTidy();
});

test("handed over, a reload leaves the till connected: its button asks first, an order asks for a number", async () => {
  const { till, window, service } = e2e;
  await isHandedOver();
  await till.reopen();
  await asksFirst(/this browser is connected/);
  await till.says("#token-access", /^with the back end, expires \d/);
  await till.says("#token-ereceipt", "on");
  await till.click("#products button");
  await till.charge();
  const keypad = new Keypad(window);
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", /Receipt printed\.$/);
  await till.keepsSecrets(service.settings);
});

test("forgotten, a reload finds nothing", async () => {
  const { till } = e2e;
  await till.click("#connect");
  await till.click("#confirm");
  await till.says("#connection", "Not connected");
  await till.reopen();
  await till.says("#connect", "Connect account");
  await till.says("#connection", "Not connected");
});

test("the back end does not answer: a reload leaves the till connected, and its button asks first", async () => {
  const { till, window, service } = await e2e.open();
  await window.executeScript("sessionStorage.setItem('hold', '/back-end/tokens')");
  await till.connect(service.settings.account);
  for (const page of ["first", "second"]) {
    await till.holds("return window.held", 1, `The ${page} page never handed over.`);
    if (page === "first") await till.reopen();
  }
  await asksFirst(/pos\.resume\(\)/);
  await window.executeScript("sessionStorage.removeItem('hold')");
  await till.reopen();
  await isHandedOver();
});

test("the back end is down: the tokens are handed over after a reload", async () => {
  const { till, service } = await e2e.open();
  await till.provoke("persistTokens");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect({ ereceipts: true });
  await till.says("#steps", /not handed over/);
  await till.reopen();
  await till.says("#steps", /Handed over\./);
  await till.says("#connection", CONNECTED);
  await isHandedOver();
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
  await till.isTidy();
  await till.says("#connection", "Not connected");
});

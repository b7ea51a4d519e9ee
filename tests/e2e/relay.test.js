// @tier first
import assert from "node:assert/strict";
import { test } from "node:test";
import { testInChromium } from "./support/in-chromium.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { becomes } from "./support/wait.js";

const e2e = session({ relay: true, script: new URL("support/first-state.js", import.meta.url) });
const TOKEN = /pc[ar]_[A-Za-z0-9_-]{20,}/;

/** Waits until the relay says so of its connection. */
const relayKnows = (connected) => becomes(async () => (await e2e.service.relay.connection()).body.connected, connected);

/** From here on, whatever the page sends and is answered is written down. */
function listen() {
  return e2e.window.executeScript(`
    const { fetch } = window;
    window.seen = [];
    window.fetch = async (input, init) => {
      const request = new Request(input, init);
      const sent = JSON.stringify([...request.headers]) + (await request.clone().text());
      const entry = { url: request.url, sent, answer: null };
      window.seen.push(entry);
      const response = await fetch(input, init);
      entry.answer = await response.clone().text();
      return response;
    };`);
}

/** Everything that the page can keep something in, as text. */
function kept() {
  return e2e.window.executeAsyncScript(`
    const done = arguments[0];
    const result = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    async function entries({ name }) {
      const database = await result(indexedDB.open(name));
      const stores = [...database.objectStoreNames];
      const all = (store) => result(database.transaction(store).objectStore(store).getAll());
      const rows = await Promise.all(stores.map(all));
      database.close();
      const isBinary = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
      return JSON.stringify(rows, (_, value) => (isBinary(value) ? new TextDecoder().decode(value) : value));
    }
    (async () => {
      const page = document.documentElement.cloneNode(true);
      page.querySelector("#login")?.remove();
      const databases = await indexedDB.databases?.() ?? [];
      const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
      const held = await Promise.all(databases.map(entries));
      return [page.outerHTML, stored, document.cookie, ...held].join("\\n");
    })().then(done, (error) => done("failed: " + error));`);
}

test("through the relay: the tokens are held, a receipt goes to the phone, and the page has no secret", async () => {
  const { till, service, window } = await e2e.open({
    stored: { "till-receipt": JSON.stringify({ ereceipt: "account", region: "IL" }) },
  });
  await till.says("#mode", "Through a relay: this page has no secret and no token.");
  await listen();
  await till.connect(service.settings.account, { ereceipts: true });
  await till.says("#token-access", /^held by the relay, expires \d/);
  await till.says("#token-refresh", "held by the relay");
  await till.says("#token-ereceipt", "on");
  await screenshot(window, "relay-connected");

  const keypad = new Keypad(window);
  await till.click("#products button");
  await till.charge();
  await keypad.shows();
  await keypad.tap("0502345678");
  await keypad.click("send");
  await till.says("#tray figcaption", /^Receipt sent/);
  await till.isTidy();

  const seen = await window.executeScript("return window.seen");
  const { clientSecret, account } = service.settings;
  const called = seen.filter(({ url }) => /^\/(v1\/|connection$)/.test(new URL(url).pathname));
  assert.deepEqual([...new Set(called.map(({ url }) => new URL(url).origin))], [service.relay.url]);
  assert.ok(
    called.every(({ sent }) => sent.includes(`Bearer ${service.relay.tillKey}`)),
    "A call without the till's key.",
  );
  assert.ok(
    called.some(({ answer }) => answer?.includes('"held":true')),
    "No answer says that the tokens are held.",
  );
  // Beside these, the page reads its own files; demo.json holds the demo login for the person before it.
  const own = seen.filter((entry) => !called.includes(entry)).map(({ url }) => new URL(url).origin);
  assert.deepEqual([...new Set(own)], [new URL(service.tillUrl).origin]);
  for (const text of [JSON.stringify(called), await kept()]) {
    assert.ok(text.length > 200 && !text.startsWith("failed"), text.slice(0, 100));
    for (const secret of [clientSecret, account.password]) assert.ok(!text.includes(secret), "The page has a secret.");
    assert.doesNotMatch(text, TOKEN, "The page has a token.");
    assert.doesNotMatch(text, /client_?secret/i);
  }
  const connection = await service.relay.connection();
  assert.deepEqual([connection.status, connection.body.account.name], [200, "Demo Bakery"]);
});

test("a reload: still connected, and the next order asks for a number", async () => {
  const { till, window } = e2e;
  await till.reopen();
  await till.says("#connection", "Connected to Demo Bakery, Old Harbor");
  await till.says("#connect", "Disconnect");
  await till.says("#token-ereceipt", "on");
  await till.click("#products button");
  await till.charge();
  const keypad = new Keypad(window);
  await keypad.shows();
  await keypad.click("print");
  await till.says("#tray figcaption", /Receipt printed\.$/);
});

testInChromium("an order that is charged before the till knows whether it is connected is sent", async () => {
  await e2e.forget();
  const { till, window, service } = e2e;
  await window.executeScript("sessionStorage.setItem('hold', '/connection')");
  await window.get(service.tillUrl);
  await till.holds("return window.held > 0", true, "The relay was never asked.");
  await till.click("#products button");
  await till.charge();
  await till.says("#outbox-summary", "1 accepted · 0 waiting");
  await window.executeScript("sessionStorage.removeItem('hold')");
  await till.reopen();
  await till.says("#connection", "Connected to Demo Bakery, Old Harbor");
});

test("the till disconnects its merchant, in each of its tabs", async () => {
  const { till, window, service } = e2e;
  const here = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  await window.get(service.tillUrl);
  await till.says("#connection", "Connected to Demo Bakery, Old Harbor");
  const there = await window.getWindowHandle();
  await window.switchTo().window(here);
  await till.click("#connect");
  await till.click("#keep");
  await till.focuses("connect");
  await relayKnows(true); // One tap ends nothing.
  await till.click("#connect");
  await till.click("#confirm");
  await till.says("#connection", "Not connected");
  await till.step("pos.disconnect()");
  await relayKnows(false);
  await window.switchTo().window(there);
  await till.says("#connection", "Not connected");
  await window.close();
  await window.switchTo().window(here);
});

testInChromium("the page is not told the secret, and offers no error that would need it", async () => {
  const { till, service, window } = await e2e.open();
  const told = await (await fetch(new URL("demo.json", service.tillUrl))).json();
  assert.deepEqual(Object.keys(told).sort(), ["account", "baseUrl", "clientId", "connectUrl", "tillKey"]);
  const codes = await window.executeScript(
    "return Array.from(document.querySelectorAll('#provocations code'), (code) => code.textContent)",
  );
  assert.ok(codes.includes("unauthorized") && !codes.includes("invalid_secret"), codes.join());
});

testInChromium("a wrong till key is refused by its code", async () => {
  const { till } = e2e;
  await till.provoke("unauthorized");
  const step = await till.step("unauthorized");
  assert.equal(step.facts["HTTP status"], "401");
  await till.rests();
  await till.isTidy();
});

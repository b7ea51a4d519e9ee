// What made a cashier hesitate at the counter: what moves under the finger, what covers it, what is said twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { violations } from "./support/axe.js";
import { Keypad } from "./support/keypad.js";
import { session } from "./support/session.js";

const e2e = session();
const NUMBER = "0502345678";
const SIZES = [
  [1280, 800],
  [360, 640],
];
const stored = { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL" }) };

/** Keeps what the outcome of a receipt covers: it is there for two seconds. */
const RECORD = `
  const covered = (window.covered = []);
  new MutationObserver(() => {
    for (const { shadowRoot } of document.querySelectorAll("ereceipt-keypad")) {
      const outcome = shadowRoot?.querySelector("[part~=outcome]")?.getBoundingClientRect();
      if (!outcome?.width) continue;
      const found = [...document.querySelectorAll("#charge, #views button")].filter((button) => {
        const { left, right, top, bottom, width } = button.getBoundingClientRect();
        return width && left < outcome.right && right > outcome.left && top < outcome.bottom && bottom > outcome.top;
      });
      covered.push(found.map(({ textContent }) => textContent).join());
    }
  }).observe(document.body, { childList: true });`;

const place = () =>
  e2e.window.executeScript(`
    const { top, left } = document.querySelector("#charge").getBoundingClientRect();
    return [Math.round(left), Math.round(top)];`);

for (const size of SIZES) {
  test(`five orders at ${size.join("×")}: Charge stays where it is, and nothing covers it`, async () => {
    const { till, window } = await e2e.open({ size, stored });
    const keypad = new Keypad(window);
    await window.executeScript(RECORD);
    if (size[0] < 500) await till.click('#views [data-view="order"]');
    const places = [await place()];
    for (let order = 0; order < 5; order += 1) {
      await window.executeScript("document.querySelectorAll('#products button')[arguments[0]].click()", order);
      places.push(await place());
      await till.click("#charge");
      await keypad.shows();
      await (order % 2 ? keypad.click("print") : keypad.type(NUMBER, Key.ENTER));
      await till.says("#tray figcaption", order % 2 ? /Receipt printed\.$/ : /^Receipt sent/);
      assert.equal(await till.focused(), "charge");
      places.push(await place());
    }
    assert.deepEqual(places, Array(places.length).fill(places[0]));
    assert.deepEqual((await window.executeScript("return window.covered")).filter(Boolean), []);
    await till.isTidy();
  });
}

test("a connected till's button says so before it can be pressed, and asks before it disconnects", async () => {
  const { till, window, service } = await e2e.open();
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect();
  await till.says("#connection", "Connected to Demo Bakery");
  await till.reopen();
  assert.equal(await till.text("#connect"), "Disconnect");
  await till.click("#connect");
  assert.equal(await till.focused(), "keep");
  assert.deepEqual(await violations(window, ".question"), []);
  await till.click("#keep");
  assert.equal(await till.focused(), "connect");
  await till.isTidy();
  assert.equal(await till.text("#connection"), "Connected to Demo Bakery");
});

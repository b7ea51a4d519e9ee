// What made a cashier hesitate at the counter: what moves under the finger, what covers it, what is said twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { violations } from "./support/axe.js";
import { engine } from "./support/environment.js";
import { testInChromium } from "./support/in-chromium.js";
import { Keypad } from "./support/keypad.js";
import { session } from "./support/session.js";

const e2e = session();
const NUMBER = "0502345678";
const SIZES = [
  [360, 640],
  [1280, 800],
];
// These have the layout of one of those; how an engine lays it out, layout.test.js looks at.
if (engine() === "chromium") SIZES.push([820, 1180], [1080, 1920], [1920, 1080], [2560, 1440]);
const stored = { "till-receipt": JSON.stringify({ ereceipt: "on", region: "IL" }) };

/** Keeps each place of Charge, and what the outcome of a receipt covers, which is there for two seconds. */
const RECORD = `
  const places = (window.places = []);
  const look = () => {
    const { top, left } = document.querySelector("#charge").getBoundingClientRect();
    const place = [left, top].map(Math.round).join();
    if (places.at(-1) !== place) places.push(place);
    requestAnimationFrame(look);
  };
  look();
  const covered = (window.covered = []);
  new MutationObserver(() => {
    for (const { shadowRoot } of document.querySelectorAll("ereceipt-keypad")) {
      const outcome = shadowRoot?.querySelector("[part~=outcome]")?.getBoundingClientRect();
      if (!outcome?.width) continue;
      const totals = document.querySelector("#lines li") ? ", .totals" : ""; // Nobody reads totals of nothing.
      const needed = "#views button, #products button, #categories button, #order button, #paid, #tray, #lines li";
      const found = [...document.querySelectorAll(needed + totals)].filter((one) => {
        const { left, right, top, bottom, width } = one.getBoundingClientRect();
        return width && left < outcome.right && right > outcome.left && top < outcome.bottom && bottom > outcome.top;
      });
      covered.push(found.map(({ id, textContent }) => id || textContent).join());
    }
  }).observe(document.body, { childList: true, subtree: true, attributes: true });`;

for (const size of SIZES) {
  test(`three orders at ${size.join("×")}: Charge stays where it is, and what is needed is not covered`, async () => {
    const { till, window } = await e2e.open({ size, stored });
    const keypad = new Keypad(window);
    if (size[0] < 500) await till.click('#views [data-view="order"]');
    await window.executeScript(RECORD);
    for (let order = 0; order < 3; order += 1) {
      await window.executeScript("document.querySelectorAll('#products button')[arguments[0]].click()", order);
      await till.charge();
      await keypad.shows();
      await (order % 2 ? keypad.click("print") : keypad.type(NUMBER, Key.ENTER));
      await till.says("#tray figcaption", order % 2 ? /Receipt printed\.$/ : /^Receipt sent/);
      await till.focuses("charge");
    }
    await till.isTidy();
    assert.equal((await window.executeScript("return window.places")).length, 1, "Charge moved.");
    assert.deepEqual((await window.executeScript("return window.covered")).filter(Boolean), []);
  });
}

// That it asks, and who has the focus then, reload.test.js sees in each engine.
testInChromium("a connected till's button asks before it disconnects", async () => {
  const { till, window, service } = await e2e.open();
  await till.connect(service.settings.account);
  await till.click("#connect");
  await till.focuses("keep");
  assert.deepEqual(await violations(window, ".question"), []);
  await till.click("#keep");
  await till.focuses("connect");
  await till.isTidy();
  await till.says("#connection", "Connected to Demo Bakery, Old Harbor");
});

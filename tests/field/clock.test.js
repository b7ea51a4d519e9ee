// A customer display in a window that is opened long after the till: its events count from another moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { becomes, field } from "./site.js";

const shared = field();
/** What the till is ahead of the display: more than the keypad's guard, and than an event may be late. */
const AHEAD_MS = 12_000;

async function open() {
  const { window, url } = shared;
  await window.get(`${url}till.html`);
  await becomes(window, "return document.body?.dataset.ready === ''", true);
}

test("a finger and a keyboard count in a window that was opened later", async () => {
  const { window } = shared;
  await open();
  const till = await window.getWindowHandle();
  await becomes(window, `return performance.now() > ${AHEAD_MS}`, true);
  // Without a click, WebKit blocks the window.
  await (await window.executeScript("return document.querySelector('#display')")).click();
  await becomes(window, "return till.shows() !== null", true);
  await sleep(600); // The guard.
  const display = (await window.getAllWindowHandles()).find((handle) => handle !== till);
  await window.switchTo().window(display);
  // The driver takes elements of a window that another one made for stale ones: a finger goes by where they are.
  for (const digit of "0502") {
    const at = await window.executeScript(
      `const { shadowRoot } = document.querySelector("ereceipt-keypad");
       const key = [...shadowRoot.querySelectorAll("[part~=key]")].find((key) => key.textContent === arguments[0]);
       const { left, top, width, height } = key.getBoundingClientRect();
       return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };`,
      digit,
    );
    await window.actions().move({ ...at, origin: "viewport" }).click().perform();
  }
  await [..."345678"].reduce((typing, digit) => typing.sendKeys(digit).pause(60), window.actions()).perform();
  await window.switchTo().window(till);
  await becomes(window, "return till.shows()", "050-234-5678");
  await window.switchTo().window(display);
  await window.close();
  await window.switchTo().window(till);
  await becomes(window, "return till.results.length", 1);
  assert.equal(await window.executeScript("return till.results[0].print"), true);
});

for (const stamp of ["0", "NaN", "1.8e12", "performance.now() + 5e6"]) {
  test(`digits count in an engine whose events have the time ${stamp}`, async () => {
    const { window } = shared;
    await open();
    const getter = `{ get: () => ${stamp}, configurable: true }`;
    await window.executeScript(`Object.defineProperty(Event.prototype, "timeStamp", ${getter}); till.ask()`);
    await becomes(window, "return till.shows() !== null", true);
    await sleep(600); // The guard.
    await (await window.executeScript("return till.find('0')")).click();
    await [..."502345678"].reduce((typing, digit) => typing.sendKeys(digit).pause(60), window.actions()).perform();
    await becomes(window, "return till.shows()", "050-234-5678");
    await (await window.executeScript("return till.find('send')")).click();
    await becomes(window, "return till.results[0]?.kind", "ereceipt");
  });
}

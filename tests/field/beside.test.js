// Dialog and keypad beside what pages bring along: other people's modals, style sheets, fetch wrappers and zones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { testInChromium } from "../e2e/support/in-chromium.js";
import { holdTimers, ORDER_PATIENCE } from "../e2e/support/timers.js";
import { becomes, field } from "./site.js";

const shared = field();
const DIGITS = "0502345678";

async function open(query) {
  const { window, url } = shared;
  await window.get(`${url}beside.html?${query}`);
  await becomes(window, "return document.body?.dataset.ready === ''", true);
}

const press = async (script, ...more) => (await shared.window.executeScript(`return ${script}`, ...more)).click();

/** A shopper: half of the number by finger, half by keyboard, and the button. */
async function typeAndSend() {
  const { window } = shared;
  await becomes(window, "return till.shows() !== null", true);
  await sleep(600); // The guard.
  for (const digit of DIGITS.slice(0, 5)) await press("till.find(arguments[0])", digit);
  const keys = [...DIGITS.slice(5)];
  await keys.reduce((typing, digit) => typing.sendKeys(digit).pause(60), window.actions()).perform();
  await becomes(window, "return till.shows()", "050-234-5678");
  await press("till.find('send')");
}

for (const modal of ["radix", "react-aria", "headless-ui", "mui", "bootstrap", "focus-trap"]) {
  test(`the keypad works above a modal of ${modal}, which stays`, async () => {
    const { window } = shared;
    await open(`beside=${modal}`);
    await becomes(window, "return document.querySelector('#pay')?.checkVisibility()", true);
    await window.executeScript("till.ask()");
    await typeAndSend();
    await becomes(window, "return till.results[0]?.kind", "ereceipt");
    await press("document.querySelector('#pay')");
    await becomes(window, "return document.body.dataset.paid", "");
  });

  test(`the connect dialog works above a modal of ${modal}, which stays`, async () => {
    const { window } = shared;
    await open(`beside=${modal}`);
    await becomes(window, "return document.querySelector('#pay')?.checkVisibility()", true);
    await window.executeScript("till.connect()");
    await becomes(window, "return document.querySelector('.pos-connect-frame')?.src.includes('token-1')", true);
    await window.switchTo().frame(await window.executeScript("return document.querySelector('.pos-connect-frame')"));
    await becomes(window, "return document.querySelector('#email') !== null", true);
    await press("document.querySelector('#email')");
    await window.actions().sendKeys("a@b.example").perform();
    assert.equal(await window.executeScript("return document.querySelector('#email').value"), "a@b.example");
    await press("document.querySelector('#sign-in')");
    assert.equal(await window.executeScript("return document.body.dataset.pressed"), "");
    await window.switchTo().defaultContent();
    await press("document.querySelector('.pos-connect-close')");
    await becomes(window, "return till.results[0]", "closed");
    await press("document.querySelector('#pay')");
    await becomes(window, "return document.body.dataset.paid", "");
  });
}

test("a focus-trap that is paused leaves the Tab key", async () => {
  const { window } = shared;
  await open("beside=focus-trap");
  await window.executeScript("trap.pause(); till.ask()");
  await becomes(window, "return till.shows() !== null", true);
  const focus = "return till.find('display').getRootNode().activeElement?.part.value";
  await becomes(window, focus, "display");
  await window.actions().sendKeys("\uE004").perform();
  await becomes(window, `${focus} !== "display"`, true);
  await window.executeScript("trap.unpause()");
});

for (const style of ["tailwind.css", "bootstrap.css", "normalize.css", "reset.css"]) {
  for (const [dir, width, height] of [
    ["ltr", 1280, 800],
    ["rtl", 500, 640],
  ]) {
    test(`dialog and keypad stand in the middle under ${style}, ${dir}`, async () => {
      const { window, resize } = shared;
      await resize(width, height);
      for (const [begin, selector] of [
        ["till.connect()", "document.querySelector('.pos-connect-dialog')"],
        ["till.ask()", "document.querySelector('ereceipt-keypad').shadowRoot.querySelector('dialog')"],
      ]) {
        await open(`style=${style}&dir=${dir}`);
        await window.executeScript(begin);
        await becomes(window, `return ${selector}?.open`, true);
        const [left, right, top, bottom] = await window.executeScript(
          `const { left, right, top, bottom } = ${selector}.getBoundingClientRect();
           return [left, document.documentElement.clientWidth - right, top, innerHeight - bottom];`,
        );
        assert.ok(Math.abs(left - right) <= 2 && left >= 0, `${left} on the left, ${right} on the right`);
        assert.ok(Math.abs(top - bottom) <= 2 && top >= 0, `${top} above, ${bottom} below`);
      }
      await resize(1280, 800);
    });
  }
}

for (const wrapper of ["sentry", "datadog", "new-relic", "posthog", "msw", "zone", "whatwg-fetch", "core-js"]) {
  testInChromium(`a till connects and sells beside ${wrapper}`, async () => {
    const { window } = shared;
    await open(`beside=${wrapper}`);
    await window.executeScript("till.connect()");
    await becomes(window, "return document.querySelector('.pos-connect-frame')?.src.includes('token-1')", true);
    await press("document.querySelector('.pos-connect-close')");
    await becomes(window, "return till.results.pop()", "closed");
    await holdTimers(window, ORDER_PATIENCE);
    await window.executeScript("till.sell()");
    await typeAndSend();
    await becomes(window, "return till.results[0]?.state ?? till.results[0]", "accepted");
    assert.deepEqual(await window.executeScript("return till.results[0].receipt.kind"), "ereceipt");
  });
}

testInChromium("Angular calls a page with a till stable", async () => {
  const { window } = shared;
  await open("beside=angular");
  await becomes(window, "return isStable()", true);
  // A timer that stands would be seen.
  await window.executeScript("inAngular(() => (window.timer = setInterval(() => {}, 60_000)))");
  assert.equal(await window.executeScript("return isStable()"), false);
  await window.executeScript("inAngular(() => clearInterval(window.timer))");
  await becomes(window, "return isStable()", true);
});

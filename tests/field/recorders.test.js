// What a session recorder holds of the keypad: nothing of the number, neither texts nor keys.
// @tier first
// @engines chromium: the recorder is the same script everywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { becomes, field } from "./site.js";

const shared = field();
/** Nobody's number, as it is typed, shown and sent; and its beginnings. */
const FORMS = ["0502345678", "050-234-5678", "+972 50-234-5678", "+972502345678", "050-23", "0 5 0 2 3", "05023"];

/** Types and taps a number while rrweb records, and gives what it has recorded, and which forms are in it. */
async function record({ isMarked }) {
  const { window, url } = shared;
  await window.get(`${url}till.html`);
  await becomes(window, "return document.body?.dataset.ready === ''", true);
  await window.executeScript("till.record(); till.ask()");
  await becomes(window, "return till.shows() !== null", true);
  if (!isMarked) await window.executeScript("till.unmark(); till.record()");
  await sleep(600); // The guard.
  for (const digit of "0502") await (await window.executeScript("return till.find(arguments[0])", digit)).click();
  await [..."345678"].reduce((typing, digit) => typing.sendKeys(digit).pause(60), window.actions()).perform();
  await becomes(window, "return till.shows()", "050-234-5678");
  await becomes(window, "return till.find('status').textContent.startsWith('0 5 0 2')", true); // For a screen reader.
  await (await window.executeScript("return till.find('send')")).click();
  await becomes(window, "return till.results[0]?.kind", "ereceipt");
  await window.executeScript("till.note('still recorded')");
  await becomes(window, "return till.recorded().includes('still recorded')", true);
  const events = await window.executeScript("return till.events");
  const text = JSON.stringify(events);
  return { events, found: FORMS.filter((form) => text.includes(form)), text };
}

test("rrweb records no digit of the number", async () => {
  const { events, found, text } = await record({ isMarked: true });
  assert.deepEqual(found, []);
  assert.ok(!text.includes("Send e-receipt"), "nothing in the keypad is recorded");
  // Of clicks and keys it has the elements; none is a key of ours.
  const [INCREMENTAL, MOUSE_INTERACTION, INPUT] = [3, 2, 5];
  const pressed = events.filter(
    ({ type, data }) => type === INCREMENTAL && [MOUSE_INTERACTION, INPUT].includes(data.source),
  );
  assert.deepEqual(pressed, []);
});

test("without the marks it would, and this test would see it", async () => {
  const { found } = await record({ isMarked: false });
  assert.ok(found.includes("050-234-5678"), `${found}`);
});

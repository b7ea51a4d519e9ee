// @engines chromium: recorders are script; ../privacy/privacy.test.js has each engine's events
// What session recorders send of the keypad: nothing of the number, neither texts nor keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { becomes, field } from "./site.js";

const shared = field();
/** Nobody's number, as it is typed, shown and sent; and its beginnings. */
const FORMS = ["0502345678", "050-234-5678", "+972 50-234-5678", "+972502345678", "050-23", "0 5 0 2 3", "05023"];
/** What rrweb, which is in all of them, has of a click (2) or of an input (5). */
const PRESSED = /"source":[25]\b/;
let runs = 0;

/** Sells with a number that is typed and tapped while a recorder runs, and gives all that this has sent. */
async function record(recorder, { isMarked }) {
  const { window, url, posted } = shared;
  // A page that is left sends its rest.
  const to = `/recorder-${++runs}/`;
  await window.get(`${url}beside.html?beside=record-${recorder}&recorder=${to}`);
  await becomes(window, "return document.body?.dataset.ready === ''", true);
  if (!isMarked) await window.executeScript("till.unmark()");
  // PostHog sends nothing before it has seen somebody.
  await window.actions().move({ x: 5, y: 5 }).move({ x: 50, y: 50 }).perform();
  await window.executeScript("till.sell()");
  await becomes(window, "return till.shows() !== null", true);
  await sleep(600); // The guard.
  for (const digit of "0502") await (await window.executeScript("return till.find(arguments[0])", digit)).click();
  await [..."345678"].reduce((typing, digit) => typing.sendKeys(digit).pause(60), window.actions()).perform();
  await becomes(window, "return till.shows()", "050-234-5678");
  await becomes(window, "return till.find('status').textContent.startsWith('0 5 0 2')", true); // For a screen reader.
  await (await window.executeScript("return till.find('send')")).click();
  await becomes(window, "return till.results[0]?.state", "accepted");
  await window.executeScript("till.note('still recorded')");
  for (const end = Date.now() + 30_000; !posted(to).includes("still recorded"); await sleep(50)) {
    assert.ok(Date.now() < end, `${recorder} has sent ${posted(to).length} characters`);
  }
  return posted(to);
}

for (const recorder of ["rrweb", "posthog", "sentry"]) {
  test(`${recorder} sends no digit of the number`, async () => {
    const sent = await record(recorder, { isMarked: true });
    assert.deepEqual(FORMS.filter((form) => sent.includes(form)), []);
    assert.ok(!sent.includes("Send e-receipt"), "nothing in the keypad is recorded");
    assert.doesNotMatch(sent, PRESSED);
  });

  test(`without the marks ${recorder} would, and this test would see it`, async () => {
    const sent = await record(recorder, { isMarked: false });
    for (const seen of ["050-234-5678", "Send e-receipt"]) assert.ok(sent.includes(seen), seen);
    assert.match(sent, PRESSED);
  });
}

// @engines chromium: recorders are script; ../privacy/privacy.test.js has each engine's events
// What session recorders send of the keypad: nothing of the number, neither texts nor keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { holdTimers, ORDER_PATIENCE } from "../e2e/support/timers.js";
import { eventually } from "../e2e/support/wait.js";
import { becomes, field } from "./site.js";

const shared = field();
/** Nobody's number, as it is typed, shown and sent; and its beginnings. */
const FORMS = ["0502345678", "050-234-5678", "+972 50-234-5678", "+972502345678", "050-23", "0 5 0 2 3", "05023"];
/** What most recorders, which are made of rrweb or like it, have of a click (2) or of an input (5). */
const PRESSED = /"source":[25]\b/;
/**
 * The recorders; and how one is told that has another form. Clarity knows no mark that keeps the keys from it, so that
 * the page stops it meanwhile; in texts it shows no digits anyway.
 */
const RECORDERS = {
  rrweb: {},
  posthog: {},
  sentry: {},
  datadog: {},
  "new-relic": {},
  clarity: { isStopped: true, number: "▫▫▫-▫▫▫-▫▫▫▫", pressed: /\[\d+,9,\d+,[^\]]*"button"/ },
};

/** Sells with a number that is typed and tapped while a recorder runs, and gives all that this has sent. */
async function record(recorder, { isMarked, isStopped }) {
  const { window, url, posted } = shared;
  const to = `/${recorder}/${isMarked ? "marked" : "unmarked"}${isStopped ? "-stopped" : ""}/`;
  await window.get(`${url}beside.html?beside=record-${recorder}&recorder=${to}`);
  await becomes(window, "return document.body?.dataset.ready === ''", true);
  if (!isMarked) await window.executeScript("till.unmark()");
  // PostHog sends nothing before it has seen somebody.
  await window.actions().move({ x: 5, y: 5 }).move({ x: 50, y: 50 }).perform();
  if (isStopped) await window.executeScript("recording.stop()");
  await holdTimers(window, ORDER_PATIENCE);
  await window.executeScript("till.sell()");
  await becomes(window, "return till.shows() !== null", true);
  await sleep(600); // The guard.
  for (const digit of "0502") await (await window.executeScript("return till.find(arguments[0])", digit)).click();
  await [..."345678"].reduce((typing, digit) => typing.sendKeys(digit).pause(60), window.actions()).perform();
  await becomes(window, "return till.shows()", "050-234-5678");
  await becomes(window, "return till.find('status').textContent.startsWith('0 5 0 2')", true); // For a screen reader.
  await (await window.executeScript("return till.find('send')")).click();
  await becomes(window, "return till.results[0]?.state", "accepted");
  if (isStopped) await window.executeScript("recording.start()");
  let sent;
  const isAll = async () => {
    // A recorder may pass a change over while the machine is busy.
    await window.executeScript("till.note('still recorded')");
    return (sent = await posted(to)).includes("still recorded");
  };
  await eventually(isAll, () => `${recorder} has sent ${sent.length} characters`);
  return sent;
}

for (const [recorder, row] of Object.entries(RECORDERS)) {
  const { isStopped = false, number = "050-234-5678", pressed = PRESSED } = row;

  test(`${recorder} sends no digit of the number`, async () => {
    const sent = await record(recorder, { isMarked: true, isStopped });
    assert.deepEqual(FORMS.filter((form) => sent.includes(form)), []);
    assert.ok(!sent.includes("Send e-receipt"), "nothing in the keypad is recorded");
    assert.doesNotMatch(sent, pressed);
  });

  test(`without the marks ${recorder} would, and this test would see it`, async () => {
    const sent = await record(recorder, { isMarked: false, isStopped: false });
    for (const seen of [number, "Send e-receipt"]) assert.ok(sent.includes(seen), seen);
    assert.match(sent, pressed);
  });
}

test("the marks alone keep texts from clarity, and not which keys are pressed", async () => {
  const sent = await record("clarity", { isMarked: true, isStopped: false });
  for (const text of [RECORDERS.clarity.number, "Send e-receipt"]) assert.ok(!sent.includes(text), text);
  assert.match(sent, RECORDERS.clarity.pressed);
});

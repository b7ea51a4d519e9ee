// A real keyboard under impatient fingers: nothing is sent or charged that nobody asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { reads } from "../e2e/support/wait.js";
import { resultOf } from "../package/browser.js";
import { hostile } from "./site.js";

const ENTER = "\uE007";
const SPACE = " ";
const NUMBER = "0502345678";
/** The keypad's own guard, and a little more. */
const GUARD_MS = 600;

const shared = hostile();

const down = (value) => ({ type: "keyDown", value });
const up = (value) => ({ type: "keyUp", value });
const pause = (duration) => ({ type: "pause", duration });
const press = (value) => [down(value), pause(20), up(value)];

const keys = (...actions) => shared.browser.keys(actions.flat());
const read = (expression) => shared.browser.evaluate(`return counter.${expression}`);

/** Opens the till; the focus is on its button. */
async function open(query = "") {
  await resultOf(shared.browser, `${shared.url}counter.html?${query}`, 60);
  // A window that has just come up may still be without the focus.
  await shared.browser.evaluate("document.querySelector('#charge').focus()");
}

/** Opens the till, and has it ask; the keypad takes keys. */
async function asked(query) {
  await open(query);
  await keys(press(ENTER));
  await until("focused()", "keypad");
  await sleep(GUARD_MS);
}

/** The same, with a number typed. */
async function typed(query) {
  await asked(query);
  await shared.browser.type(NUMBER);
  await until("display()", "050-234-5678");
}

/** Enter is down, and has ended the keypad: the till's button gets the focus when it is up, and is not pressed. */
async function endsQuietly() {
  await until("results.length", 1);
  const { focused, isRepeatHeard } = await read("atEnd");
  assert.notEqual(focused, "charge");
  assert.equal(isRepeatHeard, false, "a repeated key is kept from the page");
  await keys(up(ENTER));
  await until("focused()", "charge");
  assert.equal(await read("charges"), 1);
}

const until = (expression, expected) => reads(expression, () => read(expression), expected);

/** Presses twice. A busy machine may press so late that it shows nothing: then once more, with a shorter pause. */
async function quickly(presses) {
  const end = Date.now() + 180_000;
  for (let gap = 150; Date.now() < end; gap = Math.max(0, gap - 30)) if ((await presses(gap)) < 350) return;
  assert.fail("the driver never pressed twice within 350 ms");
}

/** Opens the till, and presses a key twice. */
const double = (key, query) =>
  quickly(async (gap) => {
    await open(query);
    await keys(press(key), pause(gap), press(key));
    return read("pause(2)");
  });

for (const [what, key, where] of [
  ["a double Enter on the till's button", ENTER, ""],
  ["a double Space on the till's button", SPACE, ""],
  ["a double Enter on a till with a keypad of its own", ENTER, "&element"],
]) {
  test(`${what} sends no number that was prefilled`, async () => {
    await double(key, `prefill=%2B972502345678&sends${where}`);
    await until("focused()", "keypad");
    await sleep(GUARD_MS);
    assert.equal(await read("sends"), 0);
    assert.equal(await read("results.length"), 0);
    assert.equal(await read("charges"), 1);
  });
}

test("the Enter that opened the keypad sends nothing however long it is held", async () => {
  await open("prefill=%2B972502345678&sends");
  await keys(down(ENTER));
  await until("focused()", "keypad");
  await sleep(GUARD_MS);
  // A driver repeats no key by itself; a keyboard does.
  for (let repeats = 0; repeats < 10; repeats += 1) await read('held("Enter")');
  assert.equal(await read("focused()"), "keypad");
  await keys(up(ENTER));
  await sleep(100);
  assert.equal(await read("sends"), 0);
  assert.equal(await read("results.length"), 0);
  assert.equal(await read("charges"), 1);
});

test("a prefilled number is sent by two presses of the shopper's own: the first goes to the button", async () => {
  await asked("prefill=%2B972502345678&sends");
  await keys(press(ENTER));
  await until("focused()", "send");
  assert.equal(await read("sends"), 0);
  await keys(press(ENTER));
  await until("results.length", 1);
  assert.equal(await read("results[0].kind"), "ereceipt");
});

for (const query of ["", "sends", "inline", "element"]) {
  test(`a second Enter after the number charges nothing: ${query || "no onSend"}`, async () => {
    await quickly(async (gap) => {
      await typed(query);
      await keys(press(ENTER), pause(gap), press(ENTER), pause(80), press(ENTER));
      await until("results.length", 1);
      await sleep(GUARD_MS);
      return read("pause(3)");
    });
    assert.equal(await read("results[0].kind"), "ereceipt");
    assert.equal(await read("charges"), 1);
    assert.equal(await read("focused()"), "charge");
    // And then the button is the till's again.
    await keys(press(ENTER));
    await until("charges", 2);
  });
}

test("the focus returns when the key is up, and one that is held presses nothing", async () => {
  await typed();
  await keys(down(ENTER));
  await endsQuietly();
});

for (const query of ["", "sends"]) {
  test(`Enter held on the send button presses nothing of the till's: ${query || "no onSend"}`, async () => {
    await typed(query);
    await shared.browser.evaluate("counter.focusSend()");
    await until("focused()", "send");
    await keys(down(ENTER));
    await endsQuietly();
    assert.equal(await read("results[0].kind"), "ereceipt");
  });
}

test("the page hears none of the keys, neither down nor up", async () => {
  await asked();
  await shared.browser.evaluate("counter.heard.length = 0");
  await shared.browser.type(NUMBER);
  await until("display()", "050-234-5678");
  await keys(press("\uE003")); // Backspace
  await keys(press("\uE00C")); // Escape
  await until("results.length", 1);
  await sleep(100);
  const heard = await read("heard");
  assert.deepEqual(
    heard.filter((key) => /[0-9]|Backspace|keydown/.test(key)),
    [],
  );
  assert.deepEqual(await read("errors"), []);
});

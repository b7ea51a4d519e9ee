// Waiting for a state, instead of looking once. The limit is for what never comes.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

export const LIMIT = 120_000; // ms: a machine under load takes ten times as long as a calm one
const PAUSE = 10; // ms between two looks at first
const LONGEST_PAUSE = 100; // ms: a look costs the machine 10 ms, which others wait for

/** Waits until `probe` gives something, and gives that. `failure`: what to say if it never does. */
export async function eventually(probe, failure) {
  const deadline = Date.now() + LIMIT;
  for (let pause = PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) assert.fail(typeof failure === "function" ? failure() : failure);
    await sleep(pause);
  }
}

/** Waits until `read` gives `expected`. */
export async function becomes(read, expected, message) {
  let value;
  const fits = async () => isDeepStrictEqual((value = await read()), expected);
  await eventually(fits, () => assert.deepEqual(value, expected, message));
}

/** Waits until what `read` gives is, or matches, `expected`; gives it. `name`: whose text it is. */
export async function reads(name, read, expected) {
  let text;
  const fits = async () => {
    text = await read();
    return expected instanceof RegExp ? expected.test(text) : text === expected;
  };
  await eventually(fits, () => `${name} says "${text}", not ${expected}.`);
  return text;
}

/** What `work` resolves to, if that is within `limit` ms; `failure`: what to say if it is not. */
export async function inTime(limit, work, failure) {
  const end = new AbortController();
  const late = sleep(limit, undefined, { signal: end.signal }).then(
    () => assert.fail(failure),
    () => {},
  );
  return Promise.race([work, late]).finally(() => end.abort());
}

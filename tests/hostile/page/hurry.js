// The clock that stands still, moved on and on: a wait of ten seconds is over in one. What the package measures, and
// when its timers run, is as long as ever by that clock.
import { advance, pause } from "./clock.js";

/** Each pause in real time is a step of the clock. A busy machine makes fewer of them, and no limit comes early. */
const PAUSE_MS = 5;
const STEP_MS = 50;
const LONGEST_MS = 1_000;

// As it is before a case spoils it.
const { now } = Date;

/**
 * Begins. A longer pause is a longer step, where an engine has slowed down the timers of a page that it takes for
 * hidden.
 */
export async function hurry() {
  for (;;) {
    const began = now();
    await pause(PAUSE_MS);
    await advance(Math.min(LONGEST_MS, Math.max(STEP_MS, now() - began)));
  }
}

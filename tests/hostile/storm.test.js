// A till, its shoppers and its network, as wild as they come: random calls, hands and faults, thousands of them, and
// what has to hold whatever comes. A red run shrinks to few steps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { engine } from "../e2e/support/environment.js";
import { resultOf } from "../package/browser.js";
import { hostile } from "./site.js";

/** The gate's: the same every time. A seed that was red at night is added here, and stays. */
const SEEDS = [2026];
const STEPS = Number(process.env.STORM_STEPS ?? (engine() === "chromium" ? 3_000 : 900));
const SECONDS = Number(process.env.STORM_LIMIT ?? 600);
/** How often a red run is tried with fewer steps, and for how long: the file's own time must not be over before. */
const TRIES = 40;
const SHRINKS_FOR_MS = 90_000;

const shared = hostile();

const storm = (seed, more) =>
  resultOf(shared.browser, `${shared.url}storm.html?seed=${seed}&${more}`, SECONDS).catch((error) => ({
    broken: [`hangs: ${error.message.slice(0, 100)}`],
    trace: [],
  }));

/** What was broken, whatever the numbers in it. */
const kind = (broken) => broken[0]?.split("\n")[0].replace(/\d+/g, "#");

/** Fewer steps that are still red: without one half, one quarter, one eighth … of them at a time. */
async function shrunk(seed, last, wanted) {
  let numbers = Array.from({ length: last + 1 }, (_, number) => number);
  let tries = 0;
  const began = Date.now();
  const goesOn = () => tries < TRIES && Date.now() - began < SHRINKS_FOR_MS;
  for (let size = numbers.length >> 1; size > 0 && goesOn(); size >>= 1) {
    for (let from = 0; from < numbers.length && goesOn(); tries += 1) {
      const fewer = [...numbers.slice(0, from), ...numbers.slice(from + size)];
      const { broken } = await storm(seed, `only=${fewer.join(",")}`);
      if (kind(broken) === wanted) numbers = fewer;
      else from += size;
    }
  }
  return numbers;
}

/** The seeds of the gate; or new ones, if somebody says where they begin. */
function seeds() {
  const { STORM_SEED, STORM_RUNS } = process.env;
  if (STORM_SEED === undefined) return SEEDS;
  return Array.from({ length: Number(STORM_RUNS ?? 1) }, (_, run) => Number(STORM_SEED) + run);
}

async function holds(seed) {
  const { broken, trace, number, did } = await storm(seed, `steps=${STEPS}`);
  if (broken.length > 0) {
    // Now: if the time is over before the end, this is all that is left of it.
    console.log(`storm ${seed} is red at step ${number}: ${broken.join("; ")}`);
    const fewer = await shrunk(seed, number ?? STEPS - 1, kind(broken));
    const { broken: still } = await storm(seed, `only=${fewer.join(",")}`);
    const few = `${fewer.length} steps ${fewer.slice(0, 200).join(",")}`;
    const again =
      still.length > 0 ? [`enough are the ${few}`, ...still] : [`it hangs on the moment: not again by the ${few}`];
    const where = [`at step ${number ?? "the end"} of`, ...trace.map((step) => `  ${step}`)];
    assert.fail([...broken, ...where, ...again].join("\n"));
  }
  // A storm in which nothing happens holds anything.
  for (const name of ["connect", "fetchTokens", "receiptFor"].map((call) => `${call}, in the end: done`))
    assert.ok(did?.[name] > 0, `${name} came up`);
  assert.ok(did["orders that arrived"] > 0, "an order arrived");
  assert.ok(did["charge: done"] > 0, "a sale came to its end");
}

for (const seed of seeds()) test(`storm ${seed}: ${STEPS} steps`, () => holds(seed));

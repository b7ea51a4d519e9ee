// Random calls, hands and faults, thousands of them: what has to hold whatever comes. A red run shrinks to few steps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resultOf } from "../package/browser.js";
import { SEEN } from "./page/plants.js";
import { hostile } from "./site.js";

const SECONDS = Number(process.env.STORM_LIMIT ?? 300);
/** How often a red run is tried with fewer steps, and for how long: the file's own time must not be over before. */
const TRIES = 40;
const SHRINKS_FOR_MS = 90_000;

/** Enough for each call to come up. */
const CANARY_STEPS = 500;
const CANARY_STORMS = 20;

const seed = Number(process.env.STORM_SEED ?? 2026);
const runs = Number(process.env.STORM_RUNS ?? 1);
const steps = Number(process.env.STORM_STEPS ?? 3000);

const shared = hostile();

async function storm(seed, more) {
  const url = `${shared.url}storm.html?seed=${seed}&${more}`;
  return resultOf(shared.browser, url, SECONDS).catch((error) => ({
    broken: [`hangs: ${error.message.slice(0, 100)}`],
    trace: [],
  }));
}

/** What was broken, whatever the numbers in it. */
const kind = (broken) => broken[0]?.split("\n")[0].replace(/\d+/g, "#");

/** Fewer steps that are still red: without one half, one quarter, one eighth … of them at a time. */
async function shrunk(page, seed, last, wanted) {
  let numbers = Array.from({ length: last + 1 }, (_, number) => number);
  let tries = 0;
  const began = Date.now();
  const goesOn = () => tries < TRIES && Date.now() - began < SHRINKS_FOR_MS;
  for (let size = numbers.length >> 1; size > 0 && goesOn(); size >>= 1) {
    for (let from = 0; from < numbers.length && goesOn(); tries += 1) {
      const fewer = [...numbers.slice(0, from), ...numbers.slice(from + size)];
      const { broken } = await storm(seed, `page=${page}&only=${fewer.join(",")}`);
      if (kind(broken) === wanted) numbers = fewer;
      else from += size;
    }
  }
  return numbers;
}

// A storm that sees nothing holds anything, too. Few steps of one storm may not come to what is planted.
for (const [plant, seen] of Object.entries(SEEN)) {
  test(`the storm sees ${plant}`, async () => {
    const said = [];
    for (let further = 0; further < CANARY_STORMS; further += 1) {
      const query = `page=bare&steps=${CANARY_STEPS}&plant=${encodeURIComponent(plant)}`;
      const { broken } = await storm(seed + further, query);
      if (broken.some((what) => seen.test(what))) return;
      said.push(...broken);
    }
    assert.fail(`it says ${said.join("; ") || "nothing"}`);
  });
}

/** A bare page gets most of the steps. */
const PAGES = { bare: 1, zone: 0.3, lockdown: 0.3, polluted: 0.3, trusted: 0.3 };

const all = Object.entries(PAGES).flatMap(([page, share]) =>
  Array.from({ length: runs }, (_, run) => ({ page, seed: seed + run, steps: Math.ceil(steps * share) })),
);
for (const { page, seed, steps } of all) {
  test(`storm ${seed} in a ${page} page: ${steps} steps`, async () => {
    const { broken, trace, number, did } = await storm(seed, `page=${page}&steps=${steps}`);
    if (broken.length > 0) {
      // Now: if the time is over before the end, this is all that is left of it.
      console.log(`storm ${seed} in a ${page} page is red at step ${number}: ${broken.join("; ")}`);
      const fewer = await shrunk(page, seed, number ?? steps - 1, kind(broken));
      const { broken: still } = await storm(seed, `page=${page}&only=${fewer.join(",")}`);
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
  });
}

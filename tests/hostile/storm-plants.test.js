// @engines chromium: here the storm is tested, and not the package
import assert from "node:assert/strict";
import { test } from "node:test";
import { SEEN } from "./page/plants.js";
import { SEEDS } from "./seeds.js";
import { storm } from "./storm.js";

/** Enough for each call to come up. */
const STEPS = 500;
const STORMS = 20;

// A storm that sees nothing holds anything, too. Few steps of one storm may not come to what is planted.
for (const [plant, seen] of Object.entries(SEEN)) {
  test(`the storm sees ${plant}`, async () => {
    const said = [];
    for (let further = 0; further < STORMS; further += 1) {
      const query = `page=bare&steps=${STEPS}&plant=${encodeURIComponent(plant)}`;
      const { broken } = await storm(SEEDS.bare[0] + further, query);
      if (broken.some((what) => seen.test(what))) return;
      said.push(...broken);
    }
    assert.fail(`it says ${said.join("; ") || "nothing"}`);
  });
}

// @tier nightly
// @engines chromium: what a tool makes of the package is the same file in every engine
// The tarball in a small app of each tool, with the tool's defaults: a merchant connects, and one order is sold.
// POS_MATRIX="Vite 8,Astro" runs these rows only. BLESS=1 writes what came of it into the docs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App } from "./app.js";
import { Counter } from "./counter.js";
import { ROWS } from "./rows.js";
import { write, writeDay } from "./table.js";

const asked = process.env.POS_MATRIX?.split(",").map((name) => name.trim()) ?? ROWS.map(({ name }) => name);
const rows = asked.map((asked) => {
  const row = ROWS.find(({ name }) => name === asked);
  if (!row) throw new Error(`There is no row ${asked}.`);
  return row;
});
const LIMIT = { timeout: 900_000 };

let counter;
const written = new Set();
before(async () => (counter = await Counter.open()));
after(async () => {
  await counter?.close();
  if (written.size === ROWS.length) await writeDay();
});

for (const row of rows) {
  test(row.name, LIMIT, async (t) => {
    const began = Date.now();
    const app = new App(row.name);
    try {
      await app.install(row, counter.address);
      t.diagnostic(`${row.name}: installed after ${seconds(began)} s`);
      for (const way of row.ways) {
        if (way.build) await app.run(way.build);
        if (way.folder ?? way.start) await opens(app, way);
      }
      if (process.env.BLESS) {
        await write(row);
        written.add(row.name);
      }
    } finally {
      await app.stop();
      await app.remove();
      t.diagnostic(`${row.name}: ${seconds(began)} s`);
    }
  });
}

/** A page of the app does what a till does, and reports nothing. */
async function opens(app, way) {
  const { url, site, program } = await app.serve(way);
  const seen = await counter.page(url);
  try {
    await counter.sells(seen);
    await way.also?.({ counter, page: seen.page, site });
    assert.deepEqual(seen.faults, []);
    assert.equal(seen.wasmFiles, way.wasmFiles ?? 1, "fetches of the WebAssembly");
  } catch (error) {
    const told = [error.message, ...seen.faults, program?.output];
    throw new Error(`${way.start ?? way.build}: ${told.filter(Boolean).join("\n")}`, { cause: error });
  } finally {
    await seen.close();
    await app.stop();
  }
}

const seconds = (since) => Math.round((Date.now() - since) / 1000);

// @tier first
// @engines chromium: no browser is opened
// What a hostile reader found has a test each, and the test is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "./pages.js";

const FOLDERS = { S: "service/tests/service", R: "relay/tests/relay" };
const ENGINES = ["both", "sqlite", "postgres"];

/** The tests of a module, whichever databases it is for. */
async function codeOf(program, file) {
  const places = ENGINES.map((engine) => text(`${FOLDERS[program]}/${engine}/${file}.rs`).catch(() => ""));
  return (await Promise.all(places)).join("");
}

test("each finding names tests that are there", async () => {
  const rows = (await text("service/tests/README.md"))
    .split("\n")
    .filter((line) => /^\| [^|-]/.test(line))
    .slice(1);
  assert.ok(rows.length > 20);
  for (const row of rows) {
    const named = [...row.matchAll(/\b([SR]) `(\w+)::(\w+)`/g)];
    assert.notEqual(named.length, 0, row);
    for (const [, program, file, name] of named) {
      const code = await codeOf(program, file);
      assert.match(code, new RegExp(`#\\[(tokio::)?test\\b[^}]*?\\bfn ${name}\\(`), `${file}::${name}`);
    }
  }
});

test("each of the 19 faults has a row of the threats", async () => {
  const rows = (await text("docs/threats.md")).split("\n").filter((line) => line.startsWith("| "));
  const found = rows.flatMap((row) => [...row.matchAll(/(?:\| |; )(\d+): /g)].map(([, fault]) => Number(fault)));
  const faults = [...new Set(found)].sort((one, other) => one - other);
  assert.deepEqual(
    faults,
    Array.from({ length: 19 }, (_, at) => at + 1),
  );
});

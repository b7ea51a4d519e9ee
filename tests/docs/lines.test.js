// @tier first
// @engines chromium: no browser is opened
// Lines that fit beside a program, and pages that are read in one go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pages } from "./pages.js";

/** Characters in a line of prose or code; a table's row may be longer. */
const LINE = 120;
const LINES = { "README.md": 150, "ARCHITECTURE.md": 150 };

for (const { path, prose, fences } of await pages()) {
  test(`the lines of ${path}`, () => {
    const long = prose
      .filter(({ line }) => line.length > LINE && !line.startsWith("|"))
      .map(({ at }) => `${path}:${at}`);
    assert.deepEqual(long, [], `more than ${LINE} characters`);
    const code = fences.flatMap(({ at, code }) => (code.split("\n").some((line) => line.length > LINE) ? [at] : []));
    assert.deepEqual(code, [], `blocks of ${path} with more than ${LINE} characters`);
    const last = Math.max(...prose.map(({ at }) => at)) - 1;
    assert.ok(last <= (LINES[path] ?? Infinity), `${path}: ${last} lines are more than ${LINES[path]}`);
  });
}

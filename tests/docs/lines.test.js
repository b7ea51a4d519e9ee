// @tier first
// @engines chromium: no browser is opened
// Lines that fit beside a program, of pages and of code, and pages that are read in one go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pages } from "./pages.js";
import { files } from "./sources.js";

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

test("the lines of the code", async () => {
  // A translation may be long, and so may a line of data.
  const read = (await files()).filter(({ path }) => !/^texts\/src\/|\.(?:json|sql)$/.test(path));
  const long = read.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, at) => (line.length > LINE ? [`${path}:${at + 1}`] : [])),
  );
  assert.deepEqual(long, [], `more than ${LINE} characters`);
});

// @tier first
// @engines chromium: no browser is opened
// What a hostile reader found has a test each, and the test is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "./pages.js";

const FOLDERS = { S: "service/tests/service", R: "relay/tests/relay" };

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
      const code = await text(`${FOLDERS[program]}/${file}.rs`);
      assert.match(code, new RegExp(`#\\[(tokio::)?test\\b[^}]*?\\bfn ${name}\\(`), `${file}::${name}`);
    }
  }
});

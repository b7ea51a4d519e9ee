// @tier first
// @engines chromium: no browser is opened
// The tests that the page of threats names are there.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { codesOf, text } from "./pages.js";

/** Each threat of the page: an item of a list, whose worst stands in bold. */
const threats = [...(await text("docs/threats.md")).matchAll(/^- \*\*[^]+?(?=\n(?:- |\n|$))/gm)].map(([item]) => item);

/** The tests that it names at its end, in parentheses. */
const IS_TEST = /^[a-z\d]+(_[a-z\d]+)+$|^tests\//;
const testsOf = (threat) => codesOf(/\(([^()]*)\)$/.exec(threat)?.[1] ?? "").filter((name) => IS_TEST.test(name));

/** The code of service and relay with their tests, as one text. */
async function code() {
  const folders = ["service/src", "service/tests", "relay/src", "relay/tests", "foundation/src", "protocol/src"];
  const files = folders.map(async (folder) => {
    const names = await readdir(new URL(`../../${folder}`, import.meta.url), { recursive: true });
    return names.filter((name) => name.endsWith(".rs")).map((name) => text(`${folder}/${name}`));
  });
  return (await Promise.all((await Promise.all(files)).flat())).join("\n");
}

test("each threat names tests that are there", async () => {
  assert.ok(threats.length > 50, `only ${threats.length}`);
  const known = await code();
  for (const threat of threats) {
    const names = testsOf(threat);
    assert.notDeepEqual(names, [], `no test is named: ${threat}`);
    for (const name of names) {
      if (name.startsWith("tests/")) assert.ok(existsSync(new URL(`../../${name}`, import.meta.url)), name);
      else assert.match(known, new RegExp(`#\\[(tokio::)?test\\b[^}]*?\\bfn ${name}\\(`), name);
    }
  }
});

// @tier first
// @engines chromium: no browser is opened
// The tests that the page of threats names are there.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { codesOf, text } from "./pages.js";

/** What a threat says at its end, in parentheses. */
const held = [...(await text("docs/threats.md")).matchAll(/\(([^()]*)\)$/gm)].map(([, names]) => names);

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
  const names = held.flatMap(codesOf).filter((name) => /^[a-z\d]+(_[a-z\d]+)+$/.test(name));
  assert.ok(names.length > 60, `only ${names.length}`);
  const known = await code();
  for (const name of names) assert.match(known, new RegExp(`#\\[(tokio::)?test\\b[^}]*?\\bfn ${name}\\(`), name);
});

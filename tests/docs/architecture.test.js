// @tier first
// @engines chromium: no browser is opened
// The map of ARCHITECTURE.md has every module, and no module that is gone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { codesOf, pages, proseOf, text } from "./pages.js";

const map = (await pages()).find(({ path }) => path === "ARCHITECTURE.md");
const named = new Set(
  codesOf(proseOf(map)).flatMap((code) => code.match(/^(?:[a-z]+\/)*([a-z_]+)\/?(?:\.rs)?$/)?.[1] ?? []),
);

/** The crates whose modules are the map's matter: those that ship. The tools are described by their commands. */
const CRATES = ["src/lib.rs", "src/browser/mod.rs", "phone/src/lib.rs", "protocol/src/lib.rs", "foundation/src/lib.rs"];
const PROGRAMS = ["service/src/lib.rs", "relay/src/lib.rs"];
/** Not on the map: the half that the map is about, and what only tests have. */
const LEFT_OUT = new Set(["tests", "cover"]);

for (const path of [...CRATES, ...PROGRAMS]) {
  test(`the map has the modules of ${path}`, async () => {
    const modules = [...(await text(path)).matchAll(/^(?:pub(?:\([a-z]+\))? )?mod (\w+);/gm)].map(([, name]) => name);
    assert.ok(modules.length > 5, path);
    assert.deepEqual(
      modules.filter((name) => !named.has(name) && !LEFT_OUT.has(name)),
      [],
    );
  });
}

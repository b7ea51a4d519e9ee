// @tier first
// @engines chromium: no browser is opened
// The map of ARCHITECTURE.md has every module, and the folders of the SDK have the floors that it gives them.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { codesOf, pages, proseOf, tables, text } from "./pages.js";

const map = (await pages()).find(({ path }) => path === "ARCHITECTURE.md");
const named = new Set(
  codesOf(proseOf(map)).flatMap((code) => code.match(/^(?:[a-z]+\/)*([a-z_]+)\/?(?:\.rs)?$/)?.[1] ?? []),
);

/** The crates whose modules are the map's matter: those that ship. The tools are described by their commands. */
const CRATES = [
  ...["lib.rs", "core/mod.rs", "http/mod.rs", "vault/mod.rs", "connect/mod.rs", "orders/mod.rs"].map(
    (file) => `src/${file}`,
  ),
  "phone/src/lib.rs",
  "protocol/src/lib.rs",
  "foundation/src/lib.rs",
];
const PROGRAMS = ["service/src/lib.rs", "relay/src/lib.rs"];
/** Not on the map: the half that the map is about, and what only tests have. */
const LEFT_OUT = new Set(["tests", "cover"]);

for (const path of [...CRATES, ...PROGRAMS]) {
  test(`the map has the modules of ${path}`, async () => {
    const modules = [...(await text(path)).matchAll(/^(?:pub(?:\([a-z]+\))? )?mod (\w+);/gm)].map(([, name]) => name);
    assert.ok(modules.length > 4, path);
    assert.deepEqual(
      modules.filter((name) => !named.has(name) && !LEFT_OUT.has(name)),
      [],
    );
  });
}

test("a folder of the SDK uses only those above it in the map", async () => {
  const floors = tables(map)
    .find((table) => table.head[0] === "`src/`")
    .rows.map(([folder]) => folder.replaceAll("`", ""));
  assert.ok(floors.length > 5);
  for (const [floor, folder] of floors.entries()) {
    const files = await readdir(new URL(`../../src/${folder}`, import.meta.url), { recursive: true });
    // What every feature has, the tests of `core` hold together.
    for (const file of files.filter((file) => file.endsWith(".rs") && !/\btests\b/.test(file))) {
      const used = [...(await text(`src/${folder}/${file}`)).matchAll(/\bcrate::(\w+)/g)].map(([, name]) => name);
      assert.deepEqual(
        used.filter((name) => floors.indexOf(name) > floor),
        [],
        `src/${folder}/${file}`,
      );
    }
  }
});

for (const program of ["service", "relay"]) {
  test(`no modules of ${program} use each other in a circle`, async () => {
    const files = await readdir(new URL(`../../${program}/src`, import.meta.url), { recursive: true });
    /** @type {Map<string, Set<string>>} */
    const uses = new Map();
    for (const file of files.filter((file) => file.endsWith(".rs"))) {
      const module = file.split("/")[0].replace(".rs", "");
      const used = [...(await text(`${program}/src/${file}`)).matchAll(/\bcrate::(\w+)/g)].map(([, name]) => name);
      uses.set(module, new Set([...(uses.get(module) ?? []), ...used.filter((name) => name !== module)]));
    }
    assert.ok(uses.size > 10);
    // Whoever uses nobody that is left is the ground, and goes.
    for (let count = 0; count !== uses.size;) {
      count = uses.size;
      for (const [module, used] of uses) if (![...used].some((name) => uses.has(name))) uses.delete(module);
    }
    assert.deepEqual([...uses.keys()], []);
  });
}

// @tier first
// @engines chromium: no browser is opened
// What is in the tarball and what of it can be reached. Its list of files is compared by `cargo xtask package`.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newProject, runNode } from "./project.js";

let project, installed;
before(async () => {
  project = await newProject();
  installed = join(project.folder, "node_modules/pos-connect");
});
after(() => project.remove());

test("the exports map lets through what is public and nothing else", async () => {
  const resolve = (name) => runNode(project.folder, `console.log(import.meta.resolve("${name}"))`);
  for (const name of [
    "pos-connect",
    "pos-connect/inline",
    "pos-connect/testing",
    "pos-connect/explain",
    "pos-connect/react",
    "pos-connect/vue",
    "pos-connect/server",
    "pos-connect/svelte",
    "pos-connect/pos-connect.iife.js",
    "pos-connect/pos_connect_bg.wasm",
    "pos-connect/package.json",
  ]) {
    assert.match(await resolve(name), /node_modules\/pos-connect\//, name);
  }
  for (const name of ["core.js", "script.js", "testing/index.cjs", "elsewhere.js", "index.js", "wasm-base64.js"]) {
    await assert.rejects(resolve(`pos-connect/${name}`), /ERR_PACKAGE_PATH_NOT_EXPORTED/, name);
  }
});

test("it has no dependencies, no scripts, no side effects, and says where its types are", async () => {
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  assert.equal(manifest.sideEffects, false);
  assert.equal(manifest.type, "module");
  assert.equal(manifest.license, "(MIT OR Apache-2.0) AND Apache-2.0 AND MIT");
  assert.match(manifest.version, /^\d+\.\d+\.\d+/);
  assert.notEqual(manifest.version, "0.0.0");
  for (const absent of ["dependencies", "optionalDependencies", "scripts"])
    assert.ok(!(absent in manifest), absent);
  // A range would keep a till out that has an older React, and uses the client alone.
  for (const [peer, range] of Object.entries(manifest.peerDependencies))
    assert.deepEqual([range, manifest.peerDependenciesMeta[peer]], ["*", { optional: true }], peer);
  for (const entry of Object.values(manifest.exports).filter((entry) => typeof entry === "object")) {
    // The first match wins: a compiler that came to `default` first would never see the types.
    const { require: common, ...module } = entry;
    for (const kind of [module, common ?? module])
      assert.deepEqual([Object.keys(kind).at(0), Object.keys(kind).at(-1)], ["types", "default"]);
    if (common) assert.equal(Object.keys(entry)[0], "require");
  }
});

test("readme, changelog and licenses are in it", async () => {
  for (const name of ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]) {
    assert.ok((await readFile(join(installed, name), "utf8")).length > 0, name);
  }
});

test("the library that draws the QR code keeps its license", async () => {
  for (const name of ["elsewhere.js", "pos-connect.iife.js"]) {
    const file = await readFile(join(installed, name), "utf8");
    assert.match(file, /\/\*! Draws with lean-qr:\nMIT License\n\nCopyright \(c\) [\d-]+ David Evans\n/, name);
    assert.match(file, /THE SOFTWARE IS PROVIDED "AS IS"/, name);
  }
});

test("the reference has each entry with declarations", async () => {
  const read = async (path) => JSON.parse(await readFile(new URL(`../../${path}`, import.meta.url), "utf8"));
  const { exports } = await read("pkg-template/package.json");
  const declared = Object.values(exports).flatMap(({ types }) => types ?? []);
  // It only adds to Svelte's own declarations.
  const shown = new Set(declared.filter((file) => file !== "./types/svelte.d.ts"));
  const { entryPoints } = await read("xtask/typedoc/typedoc.json");
  assert.deepEqual(entryPoints.map((file) => file.replace("../../pkg-template/", "./")).sort(), [...shown].sort());
});

test("no file holds a path of the machine that built it", async () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(entry.path, entry.name));
    for (const path of [root, join(homedir(), ".cargo")])
      assert.ok(!bytes.includes(path), `${entry.name} holds ${path}`);
  }
});

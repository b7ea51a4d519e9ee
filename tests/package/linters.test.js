// @tier first
// @engines chromium: no browser is opened
// What two linters of npm packages say of it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { tarball } from "./project.js";

const bytes = await readFile(tarball);

test("publint finds nothing", async () => {
  const { buffer, byteOffset, byteLength } = bytes;
  const packed = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: packed }, level: "suggestion", strict: true });
  assert.equal(pkg.name, "pos-connect");
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
});

/** Neither of these has types: the one is for a script tag, the other for a loader. */
const UNTYPED = ["./pos-connect.iife.js", "./pos_connect_bg.wasm"];
/** The SDK has no CommonJS, as WebAssembly needs a module that waits; `import()` loads it. */
const MODULES = [".", "./inline", "./svelte"];

test("Are the types wrong? finds nothing", async () => {
  const { entrypoints, problems } = await checkPackage(createPackageFromTarballData(bytes), {
    excludeEntrypoints: UNTYPED,
  });
  assert.ok(MODULES.every((entry) => entry in entrypoints));
  // `node10` is a compiler that does not know `exports`.
  const isKnown = ({ kind, entrypoint, resolutionKind }) =>
    resolutionKind === "node10" || (kind === "CJSResolvesToESM" && MODULES.includes(entrypoint));
  assert.deepEqual(
    problems.filter((problem) => !isKnown(problem)),
    [],
  );
});

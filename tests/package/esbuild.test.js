// @tier first
// @engines chromium: what a bundler makes of the package is the same file in every engine
// The quickest bundler, which needs no configuration for the inline entry.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as esbuild from "esbuild";
import { built, html } from "./bundled.js";

async function bundle(folder, dist) {
  const options = { bundle: true, format: "esm", minify: true, outdir: dist, logLevel: "error" };
  const { warnings } = await esbuild.build({ absWorkingDir: folder, entryPoints: ["main.js"], ...options });
  assert.deepEqual(warnings, []);
  await writeFile(join(dist, "index.html"), html("/main.js"));
}

test("esbuild builds the inline entry", async () => {
  assert.deepEqual(await built("pos-connect/inline", bundle), { result: "ready", wasmFiles: 0, loaded: 0 });
});

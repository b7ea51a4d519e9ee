// @engines chromium: what a bundler makes of the package is the same file in every engine
// The bundlers that vendors use, each with no configuration beyond where the app is.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as vite from "vite";
import webpack from "webpack";
import { createOne } from "./app.js";
import { resultOf } from "./browser.js";
import { built, html, shared } from "./bundled.js";
import { newProject } from "./project.js";

const bundlers = {
  vite: (root, outDir) => vite.build({ root, logLevel: "error", build: { outDir } }),
  webpack: async (folder, dist) => {
    const stats = await new Promise((resolve, reject) => {
      // Its hint about large files is meant for pages; the inline entry is large on purpose.
      const performance = { hints: false };
      const config = {
        mode: "production",
        performance,
        context: folder,
        entry: "./main.js",
        output: { path: dist, filename: "main.js", publicPath: "/" },
      };
      webpack(config, (error, stats) => (error ? reject(error) : resolve(stats)));
    });
    assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
    await writeFile(join(dist, "index.html"), html("/main.js"));
  },
};

for (const name of Object.keys(bundlers)) {
  test(`${name} builds the default entry`, async () => {
    assert.deepEqual(await built("pos-connect", bundlers[name]), { result: "ready", wasmFiles: 1, loaded: 1 });
  });

  test(`${name} builds the inline entry`, async () => {
    assert.deepEqual(await built("pos-connect/inline", bundlers[name]), { result: "ready", wasmFiles: 0, loaded: 0 });
  });
}

test("vite's development server serves the default entry", async () => {
  const project = await newProject({ "main.js": createOne("pos-connect"), "index.html": html("/main.js") });
  const server = await vite.createServer({
    root: project.folder,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  assert.equal(await resultOf(shared.browser, server.resolvedUrls.local[0]), "ready");
  await server.close();
  await project.remove();
});

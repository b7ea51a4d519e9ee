// The bundlers that vendors use, each with no configuration beyond where the app is.
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import * as vite from "vite";
import webpack from "webpack";
import { createOne } from "./app.js";
import { openBrowser, resultOf } from "./browser.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

let browser;
before(async () => (browser = await openBrowser()));
after(() => browser?.close());

const html = (script) => `<!doctype html><title>till</title><body><script type="module" src="${script}"></script>`;

/** Builds an app that imports `entry`, opens what came out, and says how many wasm files it has and were loaded. */
async function built(entry, build) {
  const project = await newProject({ "main.js": createOne(entry), "index.html": html("/main.js") });
  const dist = join(project.folder, "dist");
  await build(project.folder, dist);
  const files = await readdir(dist, { recursive: true });
  const site = await serve(dist);
  const result = await resultOf(browser, site.url);
  const loaded = site.wasmRequests();
  await site.close();
  await project.remove();
  return { result, wasmFiles: files.filter((file) => file.endsWith(".wasm")).length, loaded };
}

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
  esbuild: async (folder, dist) => {
    const options = { bundle: true, format: "esm", minify: true, outdir: dist, logLevel: "error" };
    const { warnings } = await esbuild.build({ absWorkingDir: folder, entryPoints: ["main.js"], ...options });
    assert.deepEqual(warnings, []);
    await writeFile(join(dist, "index.html"), html("/main.js"));
  },
};

for (const name of ["vite", "webpack"]) {
  test(`${name} builds the default entry`, async () => {
    assert.deepEqual(await built("pos-connect", bundlers[name]), { result: "ready", wasmFiles: 1, loaded: 1 });
  });
}

for (const name of Object.keys(bundlers)) {
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
  assert.equal(await resultOf(browser, server.resolvedUrls.local[0]), "ready");
  await server.close();
  await project.remove();
});

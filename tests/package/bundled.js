// Apps that a bundler has built, in a browser.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { createOne } from "./app.js";
import { openBrowser, resultOf } from "./browser.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

export const shared = {};
before(async () => (shared.browser = await openBrowser()));
after(() => shared.browser?.close());

export const html = (script) =>
  `<!doctype html><title>till</title><body><script type="module" src="${script}"></script>`;

/** Builds an app that imports `entry`, opens what came out, and says how many wasm files it has and were loaded. */
export async function built(entry, build) {
  const project = await newProject({ "main.js": createOne(entry), "index.html": html("/main.js") });
  const dist = join(project.folder, "dist");
  await build(project.folder, dist);
  const files = await readdir(dist, { recursive: true });
  const site = await serve(dist);
  const result = await resultOf(shared.browser, site.url);
  const loaded = site.wasmRequests();
  await site.close();
  await project.remove();
  return { result, wasmFiles: files.filter((file) => file.endsWith(".wasm")).length, loaded };
}

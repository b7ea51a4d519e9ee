// @engines chromium: what a framework does with the package is the same in every engine
// The tills of docs/frameworks.md, built and on the real package: they connect, and sell one order.
import assert from "node:assert/strict";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import vue from "@vitejs/plugin-vue";
import { build } from "vite";
import { pages } from "../docs/pages.js";
import { openBrowser, resultOf } from "./browser.js";
import { html } from "./bundled.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => readFile(here(path), "utf8");

/** The page's own parts come before the till, which takes the place of `fetch` for granted. */
const mainOf = (id, file) => `
import "./relay.js";
document.body.appendChild(document.createElement("div")).id = "${id}";
import("./${file}");`;

let browser, files, blocks;
before(async () => {
  browser = await openBrowser();
  const { fences } = (await pages()).find(({ path }) => path === "docs/frameworks.md");
  blocks = (language) => fences.filter((fence) => fence.language === language).map(({ code }) => placed(code));
  files = {
    "relay.js": await read("tills/relay.js"),
    "service.js": await read("../flow/service.js"),
    "tsconfig.json": JSON.stringify({ compilerOptions: { jsx: "react-jsx" } }),
    "index.html": html("/main.js"),
  };
});
after(() => browser?.close());

/** With the relay of these tests. */
const placed = (code) =>
  code
    .replace('"https://relay.pos-vendor.example"', '"https://service-1.example"')
    .replace('"https://auth.example.com/connect"', "`${location.origin}/connect`");

async function sold(more, packages, from, plugins = []) {
  const project = await newProject({ ...files, ...more });
  const { folder: root } = project;
  for (const name of packages) await symlink(here(`${from}/${name}`), join(root, "node_modules", name));
  const outDir = join(root, "dist");
  await build({ root, plugins, logLevel: "error", build: { outDir } });
  const site = await serve(outDir, undefined, { "/connect": "{}" });
  const result = await resultOf(browser, site.url);
  await site.close();
  await project.remove();
  return result;
}

const ONCE = { created: 1, pickedUp: 1, orders: 1 };

for (const [version, folder] of [
  ["18.2", "react-18/node_modules"],
  ["19", "node_modules"],
]) {
  test(`React ${version}, under StrictMode`, async () => {
    const [till, main] = blocks("tsx");
    const more = { "main.js": mainOf("root", "main.tsx"), "main.tsx": main, "till.tsx": till };
    assert.deepEqual(await sold(more, ["react", "react-dom"], folder), ONCE);
  });
}

test("Vue", async () => {
  const [main] = blocks("ts");
  const [till] = blocks("vue");
  const more = { "main.js": mainOf("app", "till.ts"), "till.ts": main, "App.vue": till };
  assert.deepEqual(await sold(more, ["vue"], "node_modules", [vue()]), ONCE);
});

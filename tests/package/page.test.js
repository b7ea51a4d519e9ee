// @tier first
// @engines chromium: the package asks nothing of an engine here that the other suites do not
// A page without any build: `<script type="module">` straight from node_modules.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, resultOf } from "./browser.js";
import { createOne } from "./app.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

let project, browser;
before(async () => {
  project = await newProject({
    "index.html": page(createOne("/node_modules/pos-connect/index.js")),
    "inline.html": page(createOne("/node_modules/pos-connect/inline.js")),
    "heal.html": page(`
      import { init, PosConnectError } from "/node_modules/pos-connect/index.js";
      const codes = [];
      for (const attempt of [1, 2, 3]) {
        const told = (error) => (error instanceof PosConnectError ? error.code : String(error));
        codes.push(await init().then(() => "loaded", told));
      }
      document.body.dataset.result = JSON.stringify(codes);`),
    "blocked.html": page(
      `
      import { init } from "/node_modules/pos-connect/index.js";
      const { code, message } = await init().catch((error) => error);
      document.body.dataset.result = JSON.stringify({ code, message });`,
      `<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">`,
    ),
  });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await project.remove();
});

function page(script, head = "") {
  return `<!doctype html><title>till</title>${head}<body><script type="module">${script}</script>`;
}

test("the default entry is ready and loads the module once, however many tills are created", async () => {
  const site = await serve(project.folder);
  assert.equal(await resultOf(browser, site.url), "ready");
  assert.equal(site.wasmRequests(), 1);
  await site.close();
});

test("the inline entry is ready and loads no further file", async () => {
  const site = await serve(project.folder);
  assert.equal(await resultOf(browser, `${site.url}inline.html`), "ready");
  assert.equal(site.wasmRequests(), 0);
  await site.close();
});

test("a till that boots while the server is down heals with the next call", async () => {
  const site = await serve(project.folder, { path: /\.wasm$/, times: 1 });
  assert.deepEqual(await resultOf(browser, `${site.url}heal.html`), ["load_failed", "loaded", "loaded"]);
  assert.equal(site.wasmRequests(), 2);
  await site.close();
});

test("a page whose policy blocks the module is told which two directives it takes", async () => {
  const site = await serve(project.folder);
  const { code, message } = await resultOf(browser, `${site.url}blocked.html`);
  await site.close();
  assert.equal(code, "load_failed");
  assert.match(message, /script-src hold 'wasm-unsafe-eval', and connect-src the file's own origin\?$/);
});

// @tier first
// One classic script, pinned by its hash, under a policy that allows no more than it must.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { integrityOf } from "../../xtask/js/integrity.mjs";
import { openBrowser, resultOf } from "./browser.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

const PLACE = "node_modules/pos-connect";
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
const APP = `
  function say(result) {
    document.body.dataset.result = JSON.stringify(result);
  }
  if (typeof posConnect === "undefined") say("no script");
  else
    posConnect.init().then(
      () => say(posConnect.parsePhone("0502345678", { region: "IL" }).e164),
      (error) => say(error instanceof posConnect.PosConnectError && error.code),
    );`;

let project, browser, site, script, wasm;
before(async () => {
  project = await newProject({ "app.js": APP });
  script = join(project.folder, PLACE, "pos-connect.iife.js");
  wasm = join(project.folder, PLACE, "wasm/pos_connect_bg.wasm");
  const tag = `<script src="/${PLACE}/pos-connect.iife.js" integrity="${integrityOf(script)}"></script>`;
  const head = `<title>till</title><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  const text = `<!doctype html>${head}<body>${tag}<script src="/app.js"></script>`;
  await writeFile(join(project.folder, "index.html"), text);
  site = await serve(project.folder);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await project.remove();
});

/** What the page says while `file` has other bytes at its end. */
async function withMore(file, more) {
  const bytes = await readFile(file);
  await writeFile(file, Buffer.concat([bytes, Buffer.from(more)]));
  const result = await resultOf(browser, `${site.url}?${file === wasm ? "wasm" : "script"}`);
  await writeFile(file, bytes);
  return result;
}

test("the script makes the global and loads the WebAssembly beside it", async () => {
  assert.equal(await resultOf(browser, site.url), "+972502345678");
});

test("another WebAssembly is not taken, though it is a program", async () => {
  const emptySection = [0, 2, 1, 97];
  assert.equal(await withMore(wasm, emptySection), "load_failed");
});

test("another script is not run", async () => {
  assert.equal(await withMore(script, "\n"), "no script");
});

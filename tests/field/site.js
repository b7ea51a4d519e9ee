// The tarball in an empty project, served with the pages of this suite and what they bring along, and a browser.
import { cp, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../e2e/support/browser.js";
import { newProject } from "../package/project.js";
import { serve } from "../package/site.js";

const require = createRequire(import.meta.url);
const pages = new URL("page/", import.meta.url);

/** For the tests of a file: `{ url, window }`, with a selenium window. */
export function field() {
  const shared = {};
  let project, site, browser;
  before(async () => {
    const files = {};
    for (const name of await readdir(pages)) files[name] = await readFile(new URL(name, pages), "utf8");
    project = await newProject(files);
    await cp(join(dirname(require.resolve("rrweb")), "rrweb.umd.cjs"), join(project.folder, "rrweb.js"));
    site = await serve(project.folder);
    browser = await openBrowser();
    Object.assign(shared, { url: site.url, window: browser.window });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
    await project?.remove();
  });
  return shared;
}

/** Waits until a script of the page gives what is expected. */
export async function becomes(window, script, expected) {
  let got;
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    got = await window.executeScript(script);
    if (got === expected) return;
  }
  throw new Error(`${script} is ${got}, not ${expected}`);
}

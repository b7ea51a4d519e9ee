// The tarball in an empty project, served, and a browser.
import { readdir, readFile } from "node:fs/promises";
import { after, before } from "node:test";
import { openBrowser } from "../package/browser.js";
import { newProject } from "../package/project.js";
import { serve } from "../package/site.js";

/** Of other suites: the service in the page, and the clock that stands still. What pages bring along. */
const BORROWED = {
  "service.js": "../flow/service.js",
  "clock.js": "../privacy/page/clock.js",
  "zone.umd.js": "node_modules/zone.js/bundles/zone.umd.js",
  "lockdown.umd.js": "node_modules/ses/dist/lockdown.umd.js",
};

const folder = new URL("page/", import.meta.url);

/** The source of a file of the page. */
export const source = (name) => readFile(new URL(name, folder), "utf8");

/** The names of these files. */
export const sources = () => readdir(folder);

/** For the tests of a file: `{ url, browser }`. */
export function hostile() {
  const shared = {};
  let project, site;
  before(async () => {
    const files = {};
    for (const [name, path] of Object.entries(BORROWED))
      files[name] = await readFile(new URL(path, import.meta.url), "utf8");
    for (const name of await sources()) files[name] = await source(name);
    project = await newProject(files);
    site = await serve(project.folder);
    shared.url = site.url;
    shared.browser = await openBrowser();
  });
  after(async () => {
    await shared.browser?.close();
    await site?.close();
    await project?.remove();
  });
  return shared;
}

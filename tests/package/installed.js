// The tarball in an empty project, served with the pages of a suite, and a browser.
import { readdir, readFile } from "node:fs/promises";
import { after, before } from "node:test";
import { openBrowser } from "./browser.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

/**
 * For the tests of a file: `{ url, browser, folder }`. The project has the files of the folder at `pages`, and others
 * by the names that pages load them by.
 */
export function installed(pages, borrowed = {}) {
  const shared = {};
  let project, site;
  before(async () => {
    const names = (await readdir(pages)).map((name) => [name, new URL(name, pages)]);
    const files = {};
    for (const [name, url] of [...Object.entries(borrowed), ...names]) files[name] = await readFile(url, "utf8");
    project = await newProject(files);
    site = await serve(project.folder);
    Object.assign(shared, { url: site.url, folder: project.folder, browser: await openBrowser() });
  });
  after(async () => {
    await shared.browser?.close();
    await site?.close();
    await project?.remove();
  });
  return shared;
}

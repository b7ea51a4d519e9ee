// The package as it is installed, in pages that do to it what real pages, their libraries and their users do.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { openBrowser, resultOf } from "../package/browser.js";
import { newProject } from "../package/project.js";
import { serve } from "../package/site.js";

/** For what never comes. */
const SECONDS = 120;

const folder = new URL("page/", import.meta.url);
const text = (name) => readFile(new URL(name, folder), "utf8");
const sources = (await readdir(folder)).filter((name) => !["cases.js", "main.js", "tools.js", "case.html", "till.html"].includes(name));
const names = (await Promise.all(sources.map(text))).flatMap((source) =>
  [...source.matchAll(/^export (?:const|async function) (\w+)/gm)].map(([, name]) => name));

let project, site, browser;
before(async () => {
  const files = { "service.js": await readFile(new URL("../flow/service.js", import.meta.url), "utf8") };
  for (const name of await readdir(folder)) files[name] = await text(name);
  project = await newProject(files);
  site = await serve(project.folder);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await project?.remove();
});

for (const name of names) {
  test(name.replaceAll("_", " "), async () => {
    const { failed, uncaught } = await resultOf(browser, `${site.url}case.html?case=${name}`, SECONDS);
    if (failed) assert.fail(failed);
    assert.deepEqual(uncaught, []);
  });
}

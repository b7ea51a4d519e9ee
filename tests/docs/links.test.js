// @tier first
// @engines chromium: no browser is opened
// Every link leads somewhere, every picture is there, and every page can be found from the site's summary.
import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { test } from "node:test";
import { pages, proseOf } from "./pages.js";

const root = new URL("../../", import.meta.url);
const all = await pages();

/** Where Markdown's links and pictures lead, and HTML's. */
function targets(page) {
  const prose = proseOf(page).replace(/`[^`]*`/g, "");
  const found = prose.matchAll(/\]\(([^)\s]+)\)|<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]*)"/g);
  return [...found].map(([, markdown, html]) => markdown ?? html);
}

const anchorsOf = ({ prose }) => prose.flatMap(({ anchor }) => anchor ?? []);

for (const page of all) {
  test(`the links of ${page.path}`, async () => {
    for (const target of targets(page)) {
      // The reference is made with the site.
      if (/^https?:|^reference\//.test(target)) continue;
      const [path, anchor] = target.split("#");
      const file = new URL(path, new URL(page.path, root));
      await assert.doesNotReject(access(file), `${target}: there is no such file`);
      const isInSite = !page.path.startsWith("docs/") || file.href.startsWith(new URL("docs/", root).href);
      assert.ok(isInSite, `${target}: it is not in the site`);
      const other = path === "" ? page : all.find((one) => new URL(one.path, root).href === file.href);
      if (anchor !== undefined) {
        assert.ok(other && anchorsOf(other).includes(anchor), `${target}: there is no such heading`);
      }
    }
  });
}

test("no link has its target elsewhere", () => {
  for (const page of all) assert.doesNotMatch(proseOf(page), /^\[[^\]]+\]: /m, page.path);
});

test("the summary has every page of the site once", () => {
  const summary = targets(all.find(({ path }) => path === "docs/SUMMARY.md"));
  const names = all.map(({ path }) => path).filter((path) => path.startsWith("docs/") && path !== "docs/SUMMARY.md");
  assert.deepEqual(summary.map((name) => `docs/${name}`).sort(), names.sort(), "docs/SUMMARY.md has every page");
});

// Every link leads somewhere, every picture is there, and every page can be found from the site's summary.
import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { test } from "node:test";
import { pages } from "./pages.js";

const root = new URL("../../", import.meta.url);
const all = await pages();

/** A paragraph may break a link's text. */
const linked = ({ prose }) =>
  [
    ...prose
      .map(({ line }) => line)
      .join("\n")
      .replace(/`[^`]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, target]) => target);

for (const page of all) {
  test(`the links of ${page.path}`, async () => {
    for (const target of linked(page)) {
      if (/^https?:/.test(target)) continue;
      const [path, anchor] = target.split("#");
      const file = new URL(path, new URL(page.path, root));
      await assert.doesNotReject(access(file), `${target}: there is no such file`);
      const other = path === "" ? page : all.find((one) => new URL(one.path, root).href === file.href);
      if (anchor) assert.ok(other?.anchors.includes(anchor), `${target}: there is no such heading`);
    }
  });
}

test("the summary has every page of the site once", () => {
  const summary = linked(all.find(({ path }) => path === "docs/SUMMARY.md"));
  const names = all.map(({ path }) => path).filter((path) => path.startsWith("docs/") && path !== "docs/SUMMARY.md");
  assert.deepEqual(summary.map((name) => `docs/${name}`).sort(), names.sort());
});

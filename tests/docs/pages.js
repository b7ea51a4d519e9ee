// The pages that people read, taken apart: their fences, headings and links.
import { readFile, readdir } from "node:fs/promises";

const root = new URL("../../", import.meta.url);

export const text = (path) => readFile(new URL(path, root), "utf8");

/** Every page, by its path from the repository's root. */
export async function pages() {
  const docs = (await readdir(new URL("docs/", root))).filter((name) => name.endsWith(".md")).sort();
  const paths = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "relay/README.md"];
  return Promise.all(
    [...paths, ...docs.map((name) => `docs/${name}`)].map(async (path) => page(path, await text(path))),
  );
}

function page(path, source) {
  const lines = source.split("\n");
  const fences = [];
  const prose = [];
  let fence;
  for (const [at, line] of lines.entries()) {
    const mark = /^\s*```(\S*)/.exec(line);
    if (fence && mark) {
      fences.push({ ...fence, path, code: `${fence.lines.join("\n")}\n` });
      fence = undefined;
    } else if (fence) fence.lines.push(line);
    else if (mark) fence = { language: mark[1], at: at + 1, lines: [] };
    else prose.push({ at: at + 1, line });
  }
  return { path, fences, prose, anchors: anchors(prose), isClosed: fence === undefined };
}

/** As GitHub and mdBook make them of a heading; a second one of the same name gets a number. */
function anchors(prose) {
  const seen = new Map();
  const named = [];
  for (const { line } of prose) {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const name = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    named.push(before === 0 ? name : `${name}-${before}`);
  }
  return named;
}

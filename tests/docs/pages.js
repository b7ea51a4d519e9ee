// The pages that people read, taken apart: their fences, headings and links.
import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";

const root = new URL("../../", import.meta.url);

export const text = (path) => readFile(new URL(path, root), "utf8");

/** Every page, by its path from the repository's root. */
export async function pages() {
  const docs = (await readdir(new URL("docs/", root))).filter((name) => name.endsWith(".md")).sort();
  const tests = (await readdir(new URL("tests/", root), { withFileTypes: true })).filter((one) => one.isDirectory());
  const readmes = tests.map(({ name }) => `tests/${name}/README.md`).filter((path) => existsSync(new URL(path, root)));
  const paths = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "relay/README.md",
    ...readmes,
  ];
  return Promise.all(
    [...paths, ...docs.map((name) => `docs/${name}`)].map(async (path) => page(path, await text(path))),
  );
}

/** A page without its blocks, as one text: a paragraph may break a link or a piece of code. */
export const proseOf = ({ prose }) => prose.map(({ line }) => line).join("\n");

/** The pieces of code in a text, each as one line. */
export const codesOf = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code.replaceAll(/\s*\n\s*/g, " "));

/** Those in a page's sentences and tables. */
export const codesIn = (page) => codesOf(proseOf(page));

/** The tables of a page: the anchor of their heading, the words of their head, and the cells of each row. */
export function tables({ prose }) {
  const found = [];
  let table;
  let under = "";
  for (const { line, anchor } of prose) {
    under = anchor ?? under;
    if (!line.startsWith("|")) table = undefined;
    else if (!table) found.push((table = { under, head: cells(line), rows: [] }));
    else if (!/^\|[-:|]+\|$/.test(line)) table.rows.push(cells(line));
  }
  return found;
}

const cells = (line) =>
  line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());

function page(path, source) {
  const anchorOf = anchors();
  const fences = [];
  const prose = [];
  let fence;
  let under = "";
  for (const [index, line] of source.split("\n").entries()) {
    const at = index + 1;
    const mark = /^\s*```(\S*)/.exec(line);
    // Only a line of its own closes a block.
    if (fence && /^\s*```\s*$/.test(line)) {
      fences.push({ ...fence, path, code: `${fence.lines.join("\n")}\n` });
      fence = undefined;
    } else if (fence) fence.lines.push(line);
    else if (mark) fence = { language: mark[1], at, under, lines: [] };
    else {
      const anchor = anchorOf(line);
      under = anchor ?? under;
      prose.push({ at, line, anchor });
    }
  }
  return { path, fences, prose, isClosed: fence === undefined };
}

/** As GitHub and mdBook make them of a heading; a second one of the same name gets a number. */
function anchors() {
  const seen = new Map();
  return (line) => {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    if (heading === undefined) return undefined;
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const name = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  };
}

// @tier first
// @engines chromium: no browser is opened
// Every figure of docs/benchmarks.md says how it came about, and README repeats figures and makes none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pages, text } from "./pages.js";

const all = await pages();
const page = (path) => all.find((one) => one.path === path);

const COMMAND = /`(?:cargo (?:xtask|test)|--only) [^`]+`|(?:the same|its) command/;
const DATE = /\b20\d\d-\d\d-\d\d\b/;
const RUNS = /\b\d[\d,]* (?:more )?(?:runs?|rounds|builds?|pairs|kills)\b|--runs \d+/;

/** The parts of a page below its headings: their depth, and their paragraphs and tables. */
function parts({ prose }) {
  const found = [];
  for (const { line } of prose) {
    const [, marks, title] = /^(#+) (.*)$/.exec(line) ?? [];
    if (title) found.push({ depth: marks.length, title, blocks: [""] });
    else if (line === "") found.at(-1).blocks.push("");
    else found.at(-1).blocks.push(`${found.at(-1).blocks.pop()}${line}\n`);
  }
  return found.map((part) => ({ ...part, blocks: part.blocks.filter((block) => block !== "") }));
}

/** Numbers beside names, versions and code. */
const figuresIn = (block) =>
  block
    .replaceAll(/`[^`]*`|\]\([^)]*\)/g, "")
    .replaceAll(new RegExp(DATE, "g"), "")
    .match(/(?<![\w.])\d[\d,.]*(?=[\s|)%;:,.]|$)/g) ?? [];

test("every part with figures has a command, a date and a number of runs", () => {
  let checked = 0;
  let above = "";
  for (const { depth, title, blocks } of parts(page("docs/benchmarks.md"))) {
    const whole = blocks.join("\n");
    if (depth <= 2) above = whole;
    if (figuresIn(whole).length < 3) continue;
    // A part of a part may be of the same command.
    assert.match(COMMAND.test(whole) ? whole : above, COMMAND, `${title}: by which command?`);
    assert.match(whole, DATE, `${title}: when?`);
    assert.match(whole, RUNS, `${title}: how many runs?`);
    checked += 1;
  }
  assert.ok(checked >= 6, `only ${checked} parts`);
});

test("every table of figures has its date and its runs before it", () => {
  let checked = 0;
  for (const { title, blocks } of parts(page("docs/benchmarks.md"))) {
    for (const [at, block] of blocks.entries()) {
      if (!block.startsWith("|") || figuresIn(block).length < 3) continue;
      const before = blocks.slice(0, at).join("\n");
      assert.match(before, DATE, `${title}: the table after "${blocks[at - 1]}"`);
      assert.match(before, RUNS, `${title}: the table after "${blocks[at - 1]}"`);
      checked += 1;
    }
  }
  assert.ok(checked >= 5, `only ${checked} tables`);
});

test("the figures of README are figures of the benchmarks", async () => {
  const cost = parts(page("README.md")).find(({ title }) => title === "What it costs");
  const figures = cost.blocks.flatMap(figuresIn);
  assert.ok(figures.length >= 4, `only ${figures}`);
  const known = new Set((await text("docs/benchmarks.md")).match(/\d[\d,.]*\d|\d/g));
  for (const figure of figures) assert.ok(known.has(figure.replace(/[.,]$/, "")), `${figure} is not in the benchmarks`);
});

// Sentences that are read once: short ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pages } from "./pages.js";

/** Words: the most in a sentence, and the mean of a page set. */
const MOST = 40;
const MEAN = 15;

/** The sentences of a page's paragraphs and lists. Code counts as one word; tables and headings are no sentences. */
function sentences({ prose }) {
  const kept = prose.map(({ line }) => line).filter((line) => !/^[|#!<>]/.test(line));
  const items = kept.map((line) => line.replace(/^\s*(?:[-*]|\d+\.) /, "\n\n")).join("\n");
  const plain = items.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/`[^`]*`/g, "code");
  const paragraphs = plain.split(/\n\s*\n/).map((paragraph) => paragraph.split(/\s+/).filter(Boolean).join(" "));
  return paragraphs
    .flatMap((paragraph) => paragraph.split(/(?<=[.!?:])\s+(?=[A-Z"])/))
    .filter((text) => text.length > 0);
}

const words = (sentence) => sentence.split(" ").length;
const read = (await pages()).filter(({ path }) => path === "README.md" || path.startsWith("docs/"));

for (const page of read) {
  test(`the sentences of ${page.path}`, () => {
    for (const sentence of sentences(page)) {
      assert.ok(words(sentence) <= MOST, `${words(sentence)} words: ${sentence}`);
    }
  });
}

test("a sentence is short on average", () => {
  const lengths = read.flatMap(sentences).map(words);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  assert.ok(lengths.length > 500, `${lengths.length} sentences`);
  assert.ok(mean <= MEAN, `${mean.toFixed(1)} words`);
});

// Sentences that are read once: short, in the active voice where somebody acts, and in the usual order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pages } from "./pages.js";
import { sentencesOf } from "./prose.js";

/** Words: the most in a sentence, and the mean of all. */
const MOST = 30;
const MEAN = 12;
/** The share of sentences in the passive voice: of all pages, and of one that has more than a few sentences. */
const PASSIVE = 0.1;
const PASSIVE_ON_A_PAGE = 0.2;
/** Characters in a line of prose; a table's row may be longer. */
const LINE = 120;
/** Lines of the pages that are to be read in one go. */
const LINES = { "README.md": 150, "ARCHITECTURE.md": 200 };

const all = (await pages()).map((page) => ({ ...page, sentences: sentencesOf(page) }));
const everything = all.flatMap(({ sentences }) => sentences);
const share = (sentences) => sentences.filter(({ isPassive }) => isPassive).length / sentences.length;

for (const { path, sentences, prose, fences } of all) {
  test(`the sentences of ${path}`, () => {
    const long = sentences.filter(({ words }) => words > MOST).map(told);
    assert.deepEqual(long, [], `more than ${MOST} words`);
    const inverted = sentences.filter(({ opening }) => opening).map(told);
    assert.deepEqual(inverted, [], "not in the usual order");
    if (sentences.length >= 20)
      assert.ok(share(sentences) <= PASSIVE_ON_A_PAGE, `passive: ${percent(sentences)}, at most ${PASSIVE_ON_A_PAGE}`);
  });

  test(`the lines of ${path}`, () => {
    const long = prose
      .filter(({ line }) => line.length > LINE && !line.startsWith("|"))
      .map(({ at }) => `${path}:${at}`);
    assert.deepEqual(long, [], `more than ${LINE} characters`);
    const code = fences.flatMap(({ at, code }) => (code.split("\n").some((line) => line.length > LINE) ? [at] : []));
    assert.deepEqual(code, [], `blocks of ${path} with more than ${LINE} characters`);
    const last = Math.max(...prose.map(({ at }) => at)) - 1;
    assert.ok(last <= (LINES[path] ?? Infinity), `${path}: ${last} lines are more than ${LINES[path]}`);
  });
}

test("sentences are short and active on the whole", () => {
  const mean = everything.reduce((sum, { words }) => sum + words, 0) / everything.length;
  const worst = everything.toSorted((one, other) => burden(other) - burden(one)).slice(0, 10);
  console.log(`${everything.length} sentences, ${mean.toFixed(1)} words on average, ${percent(everything)} passive`);
  console.log(`the worst ten:\n${worst.map(told).join("\n")}`);
  assert.ok(everything.length > 2000, `${everything.length} sentences`);
  assert.ok(mean <= MEAN, `${mean.toFixed(1)} words`);
  assert.ok(share(everything) <= PASSIVE, percent(everything));
});

const percent = (sentences) => `${(100 * share(sentences)).toFixed(1)} %`;

/** How hard a sentence is to read: the passive voice as much as ten words, an odd order as twenty. */
const burden = ({ words, isPassive, opening }) => words + (isPassive ? 10 : 0) + (opening ? 20 : 0);

const told = ({ where, words, isPassive, opening, sentence }) =>
  `${where}: ${[`${words} words`, isPassive && "passive", opening].filter(Boolean).join(", ")}: ${sentence}`;

test("the check sees what it is for", () => {
  const of = (text) => sentencesOf({ path: "page", prose: [{ line: text, at: 1 }] })[0];
  assert.equal(of("What was decided meanwhile, it returns at once.").opening, "a clause as the subject");
  assert.equal(of("Is the answer lost on its way, the SDK asks again.").opening, "the verb before the subject");
  assert.equal(of("Aborted, it rejects with an error.").opening, "a participle before the subject");
  assert.equal(of("Is the key there?").opening, undefined);
  assert.ok(of("The order was sent by the page.").isPassive);
  assert.ok(!of("The page sends the order.").isPassive);
  assert.equal(of("The page calls `sendOrder(order, { receipt })` with [one order](orders.md).").words, 7);
});

// The help of every command, held to the rules of the pages: short sentences, in the active voice, in the usual order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { everyCommand, PROGRAMS, xtaskHelp } from "./commands.js";
import { sentencesOf } from "./prose.js";

/** As for the pages; help has no room for more. */
const MOST = 30;
const PASSIVE = 0.2;

/** A sentence for each option, command and paragraph: what stands left of it is a name, and the default is no prose. */
function textsOf(help) {
  return help
    .replaceAll(/^(?:Usage:.*|Commands:|Options:|Arguments:)$/gm, "")
    .split("\n")
    .map((line) => line.replace(/^ +\S.*? {2,}/, "").replace(/ *\[(?:default|possible values): .*\]$/, ""))
    .filter((line) => !/^\s*$|^ +-/.test(line));
}

/** Of xtask's help, whose texts go on in further lines. */
function textsOfXtask(help) {
  const texts = [];
  for (const line of help.split("\n")) {
    const [, left, text] = /^(\S.*?|\s*)(?: {2,}|\s(?=\S))(\S.*)$/.exec(line) ?? [];
    const option = /^ +(--\S.*?) {2,}(\S.*)$/.exec(line);
    if (option) texts.push(option[2]);
    else if (left?.trim()) texts.push(text);
    else if (text) texts.push(`${texts.pop() ?? ""} ${text}`);
  }
  return texts;
}

function judge(name, texts) {
  const prose = texts.flatMap((line, at) => [
    { line, at },
    { line: "", at },
  ]);
  const sentences = sentencesOf({ path: name, prose });
  const told = ({ sentence, words, opening }) => `${words} words, ${opening ?? "usual order"}: ${sentence}`;
  assert.deepEqual(sentences.filter(({ words, opening }) => words > MOST || opening).map(told), []);
  const passive = sentences.filter(({ isPassive }) => isPassive);
  const share = passive.length / sentences.length;
  const limit = `${passive.length} of ${sentences.length} are passive:\n${passive.map(told).join("\n")}`;
  assert.ok(sentences.length < 20 || share <= PASSIVE, limit);
  return sentences.length;
}

for (const program of Object.keys(PROGRAMS)) {
  test(`the help of ${program}`, async () => {
    const commands = await everyCommand(program);
    // What all commands say alike counts once.
    const texts = new Set(commands.flatMap(({ help }) => textsOf(help)));
    assert.ok(judge(program, [...texts]) > 40);
  });
}

test("the help of xtask", async () => {
  const sections = [...(await xtaskHelp()).values()];
  assert.ok(judge("xtask", sections.flatMap(textsOfXtask)) > 20);
});

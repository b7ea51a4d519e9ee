// The sentences of a page, in paragraphs, lists and cells of tables, and what a reader stumbles over in them.
import nlp from "compromise";

/** A sentence of a page: how long it is, and how it is built. Code counts as one word. */
export function sentencesOf({ path, prose }) {
  return blocks(prose).flatMap(({ at, isCell, text }) =>
    split(plain(text)).map((sentence) => ({
      where: `${path}:${at}`,
      sentence,
      isCell,
      words: sentence.split(" ").length,
      isPassive: nlp(sentence).has("#Passive"),
      opening: isCell ? undefined : stumblingBlock(sentence),
    })),
  );
}

/** Paragraphs, items of lists, and cells. Headings, pictures and rules are none. */
function blocks(prose) {
  const found = [];
  let open;
  for (const { line, at } of prose) {
    if (line.startsWith("|")) {
      open = undefined;
      const cells = /^\|[-:|]+\|$/.test(line) ? [] : line.slice(1, -1).split("|");
      found.push(...cells.map((text) => ({ at, isCell: true, text })));
    } else if (/^\s*$|^[#!<]/.test(line)) open = undefined;
    else if (open && !ITEM.test(line)) open.text += ` ${line}`;
    else found.push((open = { at, isCell: false, text: line.replace(ITEM, "") }));
  }
  return found;
}

const ITEM = /^\s*(?:[-*>]|\d+\.) /;

/** A text as it is read: links by their words, code as a name, a chain of arrows as one. */
const plain = (text) =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`[^`]*`/g, "Code")
    .replace(/<[^>]*>|\*\*|(?<= )\*(?= |$)/g, " ")
    .replace(/(?:[^→.:]+ → ){3,}[^→.,:]+/g, "Code")
    .split(/\s+/)
    .filter(Boolean)
    .join(" ");

const split = (text) => text.split(/(?<=[.!?:][)"]*)\s+(?=["(]*[A-Z0-9])/).filter((sentence) => sentence !== "");

/** Why the beginning of a sentence has to be read twice: a clause as its subject, or a word out of its usual place. */
function stumblingBlock(sentence) {
  if (sentence.endsWith("?") || sentence.split(" ").length < 3) return undefined;
  const first = nlp(sentence).terms(0);
  if (/^(?:what|who|whom|whose|whoever|whatever|whichever) /i.test(sentence)) return "a clause as the subject";
  if (/^(?:nor|neither|never|seldom|hardly|not (?:only|until|once)) /i.test(sentence))
    return "the verb before the subject";
  if (/^(?:is|are|was|were|has|have|had|does|did|should|could|would) /i.test(sentence))
    return "the verb before the subject";
  if (/^\w+, /.test(sentence) && first.has("#PastTense")) return "a participle before the subject";
  return undefined;
}

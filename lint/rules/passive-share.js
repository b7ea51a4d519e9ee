// Where somebody acts, a sentence says who: few sentences of a page are in the passive voice.
import passive from "passive-voice";
import { split } from "sentence-splitter";

/** What only looks passive ("is compiled") counts, too. */
const MOST = 0.3;
/** A page with fewer sentences has no share to speak of. */
const FEWEST = 20;

export default function ({ Syntax, RuleError, getSource, report }) {
  const sentences = [];
  return {
    [Syntax.Paragraph](node) {
      const text = getSource(node).replaceAll(/`[^`]*`/g, "code");
      sentences.push(...split(text).filter(({ type }) => type === "Sentence").map(({ raw }) => raw));
    },
    [Syntax.DocumentExit](node) {
      const found = sentences.filter((sentence) => passive(sentence).length > 0);
      if (sentences.length < FEWEST || found.length <= MOST * sentences.length) return;
      const counts = `${found.length} of ${sentences.length} sentences are in the passive voice`;
      report(node, new RuleError([`${counts}:`, ...found.slice(0, 10)].join("\n  ")));
    },
  };
}

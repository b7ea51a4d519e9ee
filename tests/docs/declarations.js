// What `index.d.ts` declares, read by the compiler's own parser.
import { createRequire } from "node:module";
import { text } from "./pages.js";

const ts = createRequire(new URL("../package/", import.meta.url))("typescript-5");
const file = ts.createSourceFile("index.d.ts", await text("pkg-template/index.d.ts"), ts.ScriptTarget.Latest, true);

/** The members of an interface or class, with its parents': `{ name, isOptional, preset }` by name. */
export function membersOf(name) {
  const declared = file.statements.find((one) => one.name?.text === name && one.members);
  if (!declared) throw new Error(`index.d.ts declares no ${name}`);
  const parents = (declared.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.getText(file)));
  const inherited = parents.filter((parent) => parent !== "Error").flatMap((parent) => [...membersOf(parent)]);
  const own = declared.members.filter((member) => member.name && ts.isIdentifier(member.name));
  return new Map([...inherited, ...own.map((member) => [member.name.text, describe(member)])]);
}

const describe = (member) => ({ isOptional: Boolean(member.questionToken), preset: presetIn(member) });

/** What a member's comment says after "Default:", where that is a value and no sentence: `"print"`, `60`, `false`. */
function presetIn(member) {
  const comment = member.getFullText(file).slice(0, member.getLeadingTriviaWidth(file));
  const plain = comment.replaceAll(/\s*\n\s*\*\s?/g, " ");
  return /Default: ("[^"]*"|\d+(?:\.\d+)?|true|false)\./.exec(plain)?.[1];
}

/** The words of a union of texts. */
export function wordsOf(name) {
  const { type } = file.statements.find((one) => one.name?.text === name);
  return type.types.map(({ literal }) => literal.text);
}

/** The words of a member whose type is a union of texts. */
export function wordsOfMember(name, member) {
  const declared = file.statements.find((one) => one.name?.text === name && one.members);
  const { type } = declared.members.find((one) => one.name?.text === member);
  return type.types.map(({ literal }) => literal.text);
}

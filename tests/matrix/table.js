// The table of the docs that says which tools were tried. It has a line for each row; the day above it is that of the
// last run in which all rows were green.
import { readFile, writeFile } from "node:fs/promises";
import { ROWS } from "./rows.js";

const PAGE = new URL("../../docs/csp-and-bundlers.md", import.meta.url);
const TABLE = /(\| tool \| what to do \| version \|\n\|[-|]+\|\n)((?:\|.*\n)*)/;
const DAY = /(?<=All\s+were\s+tried\s+on\s+)\d{4}-\d\d-\d\d/;

/** What the docs say of a row. */
export const lineOf = ({ name, says = "nothing", packages = {} }) =>
  `| ${name} | ${says} | ${Object.values(packages)[0] ?? ""} |`;

/** The lines of the table, by the names of their rows. */
export function linesOf(page) {
  const lines = TABLE.exec(page)[2].trimEnd().split("\n");
  return new Map(lines.map((line) => [line.split(" | ")[0].slice("| ".length), line]));
}

/** Writes that a row was green. */
export async function write(row) {
  const page = await readFile(PAGE, "utf8");
  const lines = linesOf(page).set(row.name, lineOf(row));
  const known = ROWS.flatMap(({ name }) => lines.get(name) ?? []);
  await writeFile(PAGE, page.replace(TABLE, (_, head) => `${head}${known.join("\n")}\n`));
}

/** Writes that all rows were green today. */
export async function writeDay() {
  const page = await readFile(PAGE, "utf8");
  await writeFile(PAGE, page.replace(DAY, new Date().toISOString().slice(0, 10)));
}

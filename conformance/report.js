// What a person reads: lines for the terminal, and a page for a reviewer.
import { VERDICTS } from "./run.js";

const TITLES = {
  1: "What the service does",
  2: "Resources and their fields",
  3: "States and transitions",
  4: "Endpoints",
  5: "Authentication",
  6: "Events",
  7: "Errors",
  8: "Limits",
  9: "Versioning",
  E: "Extensions",
};

/** `{ passed: 30, … }`: how many sentences have each verdict. */
export function counts({ rows }) {
  const all = VERDICTS.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]);
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

export const hasFailed = ({ rows }) => rows.some(({ verdict }) => verdict === "failed");

const summary = (report) =>
  Object.entries(counts(report))
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(", ");

/** A line for each check, and what came where one failed. */
export function text(report) {
  const checked = report.rows.filter(({ exchanges }) => exchanges);
  const lines = checked.flatMap(({ id, says, verdict, reason, exchanges }) => {
    const last = verdict === "failed" ? exchanges.slice(-1).map(exchange) : [];
    const more = [reason, ...last].filter(Boolean).map((line) => `${" ".repeat(17)}${line}`);
    return [`${verdict.padEnd(9)} ${id.padEnd(6)} ${says}`, ...more];
  });
  return [...lines, "", `${report.service}, profile ${report.profile}: ${summary(report)}`].join("\n");
}

const listed = (fields) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");

/** One call in one line. */
function exchange({ sent, with: fields, status, type, came, waited }) {
  const what = typeof came === "object" ? `{ ${listed(came)} }` : came;
  const answer = status ? `${status} ${type}, ${what}` : what;
  return `${sent} (${listed(fields)}) → ${answer}${waited ? `, after ${waited} × 429` : ""}`;
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => String(text).replaceAll(/[&<>"]/g, (character) => ESCAPES[character]);

/** A page for a browser, without script; a failed sentence shows its calls, the others hide them. */
export function html(report) {
  const sections = Object.entries(TITLES).map(([number, title]) => {
    const rows = report.rows.filter(({ id }) => id.startsWith(number));
    if (rows.length === 0) return "";
    const name = number === "E" ? title : `${number}. ${title}`;
    const head = "<tr><th>Sentence</th><th>Verdict</th><th>What was sent, and what came</th></tr>";
    return `<h2>${name}</h2>\n<table>\n${head}\n${rows.map(tableRow).join("\n")}\n</table>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Conformance of ${escaped(report.service)}</title>
<style>${STYLE}</style>
<h1>Conformance of ${escaped(report.service)}</h1>
<p>Profile <b>${report.profile}</b>, ${report.date}. <b>${summary(report)}</b>.</p>
<p>Values are named, never shown: <i>right</i> is the vendor's own, and other words say how a value differs from it.
<i>To review</i>: the specification leaves it open. <i>Not run</i>: something was missing.</p>
${sections.join("\n")}
</html>
`;
}

function tableRow({ id, says, verdict, reason, by, exchanges = [] }) {
  const see = by && `see ${by.map((one) => `<a href="#${one}">${one}</a>`).join(", ")}`;
  const calls = exchanges.map((one) => `<li>${escaped(exchange(one))}</li>`).join("");
  const open = verdict === "failed" ? " open" : "";
  const count = exchanges.length === 1 ? "1 call" : `${exchanges.length} calls`;
  const details = calls && `<details${open}><summary>${count}</summary><ol>${calls}</ol></details>`;
  const cells = [`<b>${id}</b> ${escaped(says)}`, verdict, `${see ?? escaped(reason)}${details}`];
  return `<tr id="${id}" class="${verdict.replace(" ", "-")}">${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid #8886; padding: .4rem .6rem; text-align: left; vertical-align: top }
th:first-child { width: 32% } td:nth-child(2) { white-space: nowrap }
.passed td:nth-child(2) { color: #176b2c } .failed { background: #f002 } .failed td:nth-child(2) { font-weight: bold }
.to-review { background: #fb02 } .not-testable { color: #666 }
ol { margin: .3rem 0; padding-left: 1.5rem; overflow-wrap: anywhere }
`;

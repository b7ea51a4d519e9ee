// Puts functions that resemble each other next to each other: brotli then refers to what it has seen a short way back. wasm-opt's own order is by the
// number of calls, which saves a byte in each call but costs more after compression. Run with the folder of wasm-pack's output, after shorten.mjs.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const wasm = join(folder, "pos_connect_bg.wasm");
const text = join(folder, "pos_connect_bg.wat");
// What rustc makes use of; with more, wasm-as would write what browsers cannot read yet.
const FEATURES = ["sign-ext", "mutable-globals", "nontrapping-float-to-int", "bulk-memory", "multivalue"];
// How many instructions in a row are compared, at most.
const LONGEST_RUN = 3;

execFileSync("wasm-dis", [wasm, "-o", text]);
const source = readFileSync(text, "utf8");
// One function after the other, each from its opening line to the only line that closes it; all other parts come before or after.
const functions = source.match(/^ \(func [^]*?^ \)\n/gm) ?? [];
const all = functions.join("");
if (functions.length === 0 || !source.includes(all)) throw new Error("wasm-dis writes functions differently now");
writeFileSync(text, source.replace(all, () => ordered(functions).join("")));
execFileSync("wasm-as", [...FEATURES.map((name) => `--enable-${name}`), text, "-o", wasm]);
rmSync(text);

/** From the shortest on, each followed by the one that is most like it. */
function ordered(functions) {
  const left = new Set(functions.map((code) => ({ code, runs: runs(code) })).sort((one, other) => one.code.length - other.code.length));
  const order = [];
  for (let [next] = left; next; next = closest(next, left)) {
    left.delete(next);
    order.push(next.code);
  }
  return order;
}

function runs(code) {
  const lines = code.trim().split("\n").map((line) => line.trim());
  const found = new Set();
  for (const start of lines.keys()) {
    for (let length = 1; length <= LONGEST_RUN; length++) found.add(lines.slice(start, start + length).join());
  }
  return found;
}

function closest(to, candidates) {
  let best;
  let most = -1;
  for (const candidate of candidates) {
    let common = 0;
    for (const run of candidate.runs) if (to.runs.has(run)) common++;
    const likeness = common / (to.runs.size + candidate.runs.size - common);
    if (likeness > most) [best, most] = [candidate, likeness];
  }
  return best;
}

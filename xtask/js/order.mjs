// Puts functions that resemble each other next to each other: brotli then refers to what it has seen a short way back. wasm-opt's own order is by the
// number of calls, which saves a byte in each call but costs more after compression. Run with the folder of wasm-pack's output, after shorten.mjs.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";

const [folder] = process.argv.slice(2);
const wasm = join(folder, "pos_connect_bg.wasm");
const text = join(folder, "pos_connect_bg.wat");
// What rustc makes use of; with more, wasm-as would write what browsers cannot read yet.
const FEATURES = ["sign-ext", "mutable-globals", "nontrapping-float-to-int", "bulk-memory", "multivalue"];
// How many instructions in a row are compared, at most; and how much more alike two functions of one type count: their types are listed in the same order,
// and compress away. Which pair is best differs from build to build by 300 bytes, so each is tried.
const LONGEST_RUNS = [2, 4, 6];
const SAME_TYPE = [0.05, 0.07, 0.1, 0.2, 0.3, 0.6];

execFileSync("wasm-dis", [wasm, "-o", text]);
const source = readFileSync(text, "utf8");
// One function after the other, each from its opening line to the only line that closes it; all other parts come before or after.
const functions = source.match(/^ \(func [^]*?^ \)\n/gm) ?? [];
const all = functions.join("");
if (functions.length === 0 || !source.includes(all)) throw new Error("wasm-dis writes functions differently now");
functions.sort((one, other) => one.length - other.length);
const types = functions.map((code) => code.slice(0, code.indexOf("\n")).replaceAll(/\$\S+/g, ""));

let best = { size: Infinity };
for (const longest of LONGEST_RUNS) {
  const runs = functions.map((code) => runsOf(code, longest));
  const common = commonRuns(runs);
  for (const bonus of SAME_TYPE) {
    const tried = assembled(ordered({ runs, common, bonus }));
    if (tried.size < best.size) best = tried;
  }
}
writeFileSync(wasm, best.bytes);
rmSync(text);

/** The module with its functions in that order. */
function assembled(order) {
  writeFileSync(text, source.replace(all, () => order.map((number) => functions[number]).join("")));
  execFileSync("wasm-as", [...FEATURES.map((name) => `--enable-${name}`), text, "-o", wasm]);
  const bytes = readFileSync(wasm);
  return { bytes, size: brotliCompressSync(bytes).length };
}

/** From the shortest on, each followed by the one that is most like it. */
function ordered(measure) {
  const left = new Set(functions.keys());
  const order = [];
  for (let next = 0; next !== undefined; next = closest(next, left, measure)) {
    left.delete(next);
    order.push(next);
  }
  return order;
}

function closest(to, candidates, { runs, common, bonus }) {
  let best;
  let most = -1;
  for (const candidate of candidates) {
    const shared = common[to][candidate];
    const likeness = shared / (runs[to].size + runs[candidate].size - shared) + (types[to] === types[candidate] ? bonus : 0);
    if (likeness > most) [best, most] = [candidate, likeness];
  }
  return best;
}

function runsOf(code, longest) {
  const lines = code.trim().split("\n").map((line) => line.trim());
  const found = new Set();
  for (const start of lines.keys()) {
    for (let length = 1; length <= longest; length++) found.add(lines.slice(start, start + length).join());
  }
  return found;
}

/** How many runs each two functions have in common. */
function commonRuns(runs) {
  const counts = runs.map(() => new Uint16Array(runs.length));
  const holders = new Map();
  for (const [number, found] of runs.entries()) {
    for (const run of found) {
      const others = holders.get(run) ?? [];
      for (const other of others) {
        counts[number][other]++;
        counts[other][number]++;
      }
      others.push(number);
      holders.set(run, others);
    }
  }
  return counts;
}

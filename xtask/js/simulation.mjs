// Bundles the service worker of the simulation in a folder, with the fake service of the package, the list of all files
// and a version that is theirs. Run with that folder, the package's folder, and the folder that esbuild is installed
// in.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";

const [folder, pack, tools] = process.argv.slice(2);
const { buildSync } = createRequire(join(tools, "package.json"))("esbuild");
const worker = join(folder, "worker.js");

/** What the worker keeps for a page without a network. */
const isKept = (name) => !["worker.js", "receipt.js", "till/README.md"].includes(name);
const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const files = entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"));
const kept = files.filter(isKept).sort();

const hash = createHash("sha256");
for (const file of kept) hash.update(file).update(readFileSync(join(folder, file)));
buildSync({
  entryPoints: [worker],
  outfile: worker,
  allowOverwrite: true,
  bundle: true,
  // Firefox has no modules in service workers before version 147.
  format: "iife",
  charset: "utf8",
  logLevel: "error",
  alias: { "pos-connect/testing": join(pack, "testing/index.js") },
  define: { FILES: JSON.stringify(kept), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) },
});
rmSync(join(folder, "receipt.js"));

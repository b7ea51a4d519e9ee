// Puts core.js, the glue and its snippets into one file: they compress better together, and what nobody imports stays out. Run with the package's folder
// and the folder that esbuild is installed in.
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, tools] = process.argv.slice(2);
const { buildSync } = createRequire(join(tools, "package.json"))("esbuild");
const core = join(folder, "core.js");

buildSync({
  entryPoints: [core],
  outfile: core,
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  target: "es2022",
  // Not identifiers: the names of our classes can be seen. Those of the glue are short already.
  minifySyntax: true,
  minifyWhitespace: true,
  charset: "utf8",
  logLevel: "error",
});
for (const bundled of ["pos_connect.js", "snippets"]) rmSync(join(folder, "wasm", bundled), { recursive: true });

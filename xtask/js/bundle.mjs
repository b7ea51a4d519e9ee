// Puts core.js, the glue and its snippets into one file: they compress better together, and what nobody imports stays out; and elsewhere.js, which core.js
// imports when it is asked for, into another one with the library that draws its QR code. Run with the package's folder and the folder that esbuild and the
// library are installed in.
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, tools] = process.argv.slice(2);
const { buildSync } = createRequire(join(tools, "package.json"))("esbuild");
const license = readFileSync(join(tools, "node_modules/lean-qr/LICENSE"), "utf8");

const options = {
  allowOverwrite: true,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  logLevel: "error",
};
/** Bundles a file in its place. */
function build(name, more) {
  const file = join(folder, name);
  buildSync({ ...options, entryPoints: [file], outfile: file, ...more });
}

// The pattern matches the specifier as it is written; with a path esbuild would look for the file beside the snippet.
build("core.js", { external: ["*/elsewhere.js"] });
// They import and export by name: shorter ones would be more bytes. What bundlers look for, the `new URL` form, stays.
for (const entry of ["index.js", "inline.js"]) build(entry, { bundle: false, minify: false, minifyWhitespace: true });
build("elsewhere.js", { minify: true, nodePaths: [join(tools, "node_modules")], banner: { js: `/*! Draws with lean-qr:\n${license.trim()}\n*/` } });
for (const bundled of ["pos_connect.js", "snippets"]) rmSync(join(folder, "wasm", bundled), { recursive: true });

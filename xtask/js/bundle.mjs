// Puts core.js, the glue and its snippets into one file, and elsewhere.js, which core.js imports when it is asked for,
// into another one with the library that draws its QR code; script.js, with both, into one script; and explain/,
// react/, server/, testing/ and vue/ into a module of each kind. dev.js gets what it takes of server/. Run with the
// package's folder and the folder that esbuild and the library are installed in.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { integrityOf } from "./integrity.mjs";
import { shorten } from "./names.mjs";

const [folder, tools] = process.argv.slice(2);
const { buildSync, transformSync } = createRequire(join(tools, "package.json"))("esbuild");
const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const VERSION = JSON.stringify(version);
const license = readFileSync(join(tools, "node_modules/lean-qr/LICENSE"), "utf8");

/** Bundles a file in its place. */
function build(name, options) {
  const file = join(folder, name);
  buildSync({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    // The oldest browsers that docs/questions.md names.
    target: ["chrome88", "firefox98", "safari15.4"],
    minify: true,
    charset: "utf8",
    logLevel: "error",
    ...options,
  });
}

shorten(join(folder, "wasm"), join(tools, "node_modules/binaryen/bin/wasm-opt"), transformSync);
build("core.js", {
  define: { VERSION },
  // The pattern matches the specifier as it is written; with a path esbuild would look for the file beside the snippet.
  external: ["*/elsewhere.js"],
  inject: [join(import.meta.dirname, "globals.mjs")],
});
// They import and export by name: shorter names would be more bytes. What bundlers look for, the `new URL` form, stays.
for (const entry of ["index.js", "inline.js"]) build(entry, { bundle: false, minify: false, minifyWhitespace: true });
build("elsewhere.js", {
  nodePaths: [join(tools, "node_modules")],
  banner: { js: `/*! Draws with lean-qr:\n${license.trim()}\n*/` },
});
build("script.js", {
  outfile: join(folder, "pos-connect.iife.js"),
  format: "iife",
  globalName: "posConnect",
  define: { WASM_INTEGRITY: JSON.stringify(integrityOf(join(folder, "wasm/pos_connect_bg.wasm"))) },
});
rmSync(join(folder, "script.js"));

/** The rows of a table in Rust, by their words: `{ network: ["retry", "No answer: …"] }`. */
function rowsOf(...paths) {
  const rows = /= "([a-z_]+)", (?:([A-Z][a-z]+)|(\d{3})),\s+("(?:[^"\\]|\\.)*");/g;
  const text = paths.map((path) => readFileSync(join(root, path), "utf8")).join("");
  const cells = ([, word, name, status, said]) => [word, [name?.toLowerCase() ?? Number(status), JSON.parse(said)]];
  return Object.fromEntries([...text.matchAll(rows)].map(cells));
}

const root = join(import.meta.dirname, "../..");
const define = {
  VERSION,
  ERRORS: JSON.stringify(rowsOf("src/core/error.rs")),
  PROBLEMS: JSON.stringify(rowsOf("protocol/src/problem.rs", "protocol/src/relay.rs")),
};
const testing = { minify: false, define, loader: { ".html": "text" } };
// Jest reads CommonJS, and its module has a class of errors of its own: there it stands in for all of the package.
build("testing/index.js", {
  ...testing,
  outfile: join(folder, "testing/index.cjs"),
  format: "cjs",
  alias: { "pos-connect-errors": join(root, "src/core/error.js") },
});
build("testing/index.js", { ...testing, alias: { "pos-connect-errors": "../core.js" }, external: ["../core.js"] });
for (const entry of ["explain", "react", "vue"]) {
  const name = `${entry}/index.js`;
  // Read by bundlers, which minify themselves.
  const binding = { minify: false, external: ["pos-connect", "react", "vue"] };
  build(name, { ...binding, outfile: join(folder, entry, "index.cjs"), format: "cjs" });
  build(name, binding);
}
// Read by people whose secrets pass through it.
const server = { minify: false, platform: "node", target: "node20" };
build("server/index.js", { ...server, outfile: join(folder, "server/index.cjs"), format: "cjs" });
build("server/index.js", server);
build("dev.js", { ...server, external: ["./testing/index.js"] });
// CommonJS needs declarations of its kind.
for (const part of [".", "explain", "react", "server", "testing", "vue"]) {
  const types = readFileSync(join(folder, part, "index.d.ts"), "utf8");
  writeFileSync(join(folder, part, "index.d.cts"), types.replaceAll('"../index.js"', '"../index.cjs"'));
}
const published = ["index.js", "index.cjs", "index.d.ts", "index.d.cts", "connect.html"];
for (const part of ["server", "testing"])
  for (const name of readdirSync(join(folder, part)))
    if (!published.includes(name)) rmSync(join(folder, part, name));
for (const part of ["options.js", "provided.js", "state.js"]) rmSync(join(folder, part));
for (const bundled of ["pos_connect.js", "snippets"]) rmSync(join(folder, "wasm", bundled), { recursive: true });

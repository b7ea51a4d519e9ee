// Gives what the WebAssembly and its glue call each other the shortest names there are. wasm-bindgen's own end in 16
// digits of a hash, on both sides, for a few hundred imports: 3 % of the download.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const GLUE = "./pos_connect_bg.js";

/**
 * Renames the imports and exports of `pos_connect_bg.wasm` in `folder`, and their uses in `pos_connect.js` beside it.
 * @param wasmOpt the script of Binaryen: renames in the WebAssembly, and prints which name has become which.
 * @param transformSync esbuild's: renames properties in the glue.
 */
export function shorten(folder, wasmOpt, transformSync) {
  const wasm = join(folder, "pos_connect_bg.wasm");
  const glue = join(folder, "pos_connect.js");
  const rename = ["--minify-imports-and-exports-and-modules", wasm, "--output", wasm];
  const { imports, exports } = JSON.parse(execFileSync(process.execPath, [wasmOpt, ...rename], { encoding: "utf8" }));
  const ours = imports.filter(([module]) => module === GLUE).map(([, ...names]) => names);
  const names = Object.fromEntries([...ours, ...exports]);
  const { code } = transformSync(readFileSync(glue, "utf8"), {
    mangleProps: new RegExp(`^(${Object.keys(names).join("|")})$`),
    mangleCache: names,
  });
  const snippets = imports.filter(([module]) => module !== GLUE);
  const lines = snippets.map(([module, old, name]) => `import { ${old} as snippet_${name} } from "${module}";\n`);
  writeFileSync(glue, lines.join("") + inOneModule(code, snippets));
}

/** Binaryen makes all modules that are imported from one, `a`; the glue lists them where it gives the imports. */
function inOneModule(code, snippets) {
  const listed = /return \{\s*__proto__: null,\s*"\.\/pos_connect_bg\.js": import0[^}]*\}/;
  if (!listed.test(code)) throw new Error("wasm-bindgen's glue lists the modules of its imports in another way");
  const others = snippets.map(([, , name]) => `, ${name}: snippet_${name}`).join("");
  return code.replace(listed, () => `return { a: { ...import0${others} } }`);
}

// Shortens the names by which the WebAssembly and its glue know each other, and minifies the glue. wasm-bindgen gives each of the 150 imports a name with
// 16 random digits, which no compression helps: 7 % of the download. Run with the folder of wasm-pack's output and the folder that esbuild is installed in.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, tools] = process.argv.slice(2);
const { transformSync } = createRequire(join(tools, "package.json"))("esbuild");
const wasm = join(folder, "pos_connect_bg.wasm");
const glue = join(folder, "pos_connect.js");

// Prints { imports: [[module, name, short]…], exports: [[name, short]…] }; the module itself becomes "a".
const names = JSON.parse(execFileSync("wasm-opt", ["--minify-imports-and-exports-and-modules", "--strip-target-features", wasm, "-o", wasm], { encoding: "utf8" }));
let source = readFileSync(glue, "utf8");
for (const [, name, short] of names.imports) replace(`${name}: function`, `${JSON.stringify(short)}: function`);
// What the glue has for browsers that lack what our own modules need anyway, and for callers that nobody is.
for (const [needless, instead] of [
  [/\(typeof FinalizationRegistry === 'undefined'\)\s*\? .*\s*: /g, ""],
  [/typeof (?:Response|Request|URL) === 'function' && /g, ""],
  [/typeof WebAssembly\.instantiateStreaming === 'function'/g, "true"],
  [/^if \(!\('encodeInto' in cachedTextEncoder\)\) \{[^]*?^\}/gm, ""],
  // Of another type nothing can be read, which is an error all the same.
  [/^ +const validResponse = .*|validResponse && |^ +function expectedResponseType\(type\) \{[^]*?^    \}/gm, ""],
  // One loop for every text. `encode` for all would be 40 bytes less, and 2 µs a text where the loop takes 0.05.
  [/^(function passStringToWasm0\(arg, malloc)[^]*?^\}/gm, (_, head) => `${head}) {
    const bytes = /[^\\x00-\\x7f]/.test(arg) && cachedTextEncoder.encode(arg);
    const length = WASM_VECTOR_LEN = (bytes || arg).length, ptr = malloc(length, 1) >>> 0, mem = getUint8ArrayMemory0();
    for (let i = 0; i < length; i++) mem[ptr + i] = bytes ? bytes[i] : arg.charCodeAt(i);
    return ptr;
  }`],
  // Nobody asks for the module again; and the number says it all.
  [/\{ instance, module \};/g, "{ instance };"],
  [/ \$\{module\.statusText\}/g, ""],
  [/(passStringToWasm0\(ret, wasm\.__wbindgen_malloc), wasm\.__wbindgen_realloc/g, (_, call) => call],
  [/^ +if \(module_or_path !== undefined\) \{[^]*?^    \}/gm, ""],
  [/^ +wasm(?:Instance|Module) = .*/gm, ""],
  // Our objects are freed when they are collected; by hand nobody may.
  [/^ +__destroy_into_raw\(\) \{[^]*?^    \}\s*free\(\) \{[^]*?^    \}/gm, ""],
  [/^if \(Symbol\.dispose\) .*/gm, ""],
  [/failed to fetch Wasm: | fetching(?= ')/g, ""],
  [/^ +__proto__: null,/gm, ""],
  // core.js loads once.
  [/^ +(?:if \(wasm !== undefined\) return wasm|cached\w+Memory0 = null|return wasm);/gm, ""],
  [/cachedUint8ArrayMemory0 === null \|\| cachedUint8ArrayMemory0\.byteLength === 0/g, "!cachedUint8ArrayMemory0?.byteLength"],
  // What Rust gives is UTF-8; and each decoder is used at once.
  [/, fatal: true/g, ""],
  [/^ *cachedTextDecoder\.decode\(\);/gm, ""],
  // Values that are named once, functions that need no `this`, and a wrapper for each call instead of once for each function.
  [/const ret = (.*);\n +return (\w+)\(ret\);/g, (_, value, wrap) => `return ${wrap}(${value});`],
  [/const ret = (.*);\n +return ret;/g, (_, value) => `return ${value};`],
  [/: function\(\) \{ return handleError\(function \((.*)\) (\{[^]*?\}), arguments\); \}/g, (_, given, body) => `: handleError((${given}) => ${body})`],
  [/^( +"[^"]+"): function\((.*)\) \{/gm, (_, name, given) => `${name}: (${given}) => {`],
  [/function handleError\(f, args\) \{([^]*?)f\.apply\(this, args\);([^]*?)^\}/gm, (_, before, after) => `function handleError(f) { return (...args) => {${before}f(...args);${after}} }`],
  [/cachedDataViewMemory0 === null \|\| cachedDataViewMemory0\.buffer\.detached.*(?=\) \{)/g, "cachedDataViewMemory0?.buffer !== wasm.memory.buffer"],
]) replace(needless, instead);
const exported = new Map(names.exports);
source = source.replaceAll(/\bwasm\.(\w+)/g, (_, name) => `wasm.${exported.get(name) ?? fail(`the module does not export ${name}`)}`);
replace(`"./pos_connect_bg.js": import0`, `"a": import0`);
// Its warnings are about how it was called; core.js says what a till's developer has to know.
writeFileSync(glue, minified(source, { drop: ["console"], mangleProps: /^_.*wrap$|_wbg_/ }));
// What wasm-bindgen says when a handle is freed by hand or lent out twice, or a closure is called that is gone, which nobody can: its text stays, all but the first words
// of it blank.
const module = readFileSync(wasm);
for (const text of ["attempted to take ownership of Rust value while it was borrowed", "null pointer passed to rust", "recursive use of an object detected which would lead to unsafe aliasing in rust", "invoked recursively or after being dropped"]) {
  const start = module.indexOf(text);
  if (start < 0) fail(`the module does not say "${text}"`);
  module.fill(" ", start + 12, start + text.length);
}
writeFileSync(wasm, module);
// Our own modules beside it, for the same reason.
for (const entry of readdirSync(join(folder, "snippets"), { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath ?? entry.path, entry.name);
  if (entry.isFile()) writeFileSync(path, minified(readFileSync(path, "utf8")));
}

function minified(code, more) {
  return transformSync(code, { ...more, minify: true, format: "esm", target: "es2022" }).code;
}

// Whatever is not found means that wasm-bindgen writes its glue differently now; better no package than a broken one.
function replace(old, replacement) {
  const changed = source.replaceAll(old, typeof replacement === "function" ? replacement : () => replacement);
  if (changed === source) fail(`the glue does not mention ${old}`);
  source = changed;
}

function fail(message) {
  throw new Error(message);
}

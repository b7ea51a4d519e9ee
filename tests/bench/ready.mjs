// From `import()` of an app's bundle, or its script tag, to an app that is ready, beside what a web app would put
// together for the same job from npm: a connect frame, phone numbers, a keypad.
//
// Ready is the same for all: the client of the connect flow is made, a phone number was parsed, and a keypad is
// constructed, but not in the document. For ours that includes `init()`, the WebAssembly. The assembly's keyboard lays
// out its keys when it is constructed, ours when it asks; neither is styled or painted here.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { AGAINST, OURS, packages, runs } from "./package.mjs";
import { inTurn, median, ratio } from "./statistics.mjs";

const ASSEMBLY = "assembly";
const INLINE = "inline";
const TAG = "script tag";
const names = [...Object.keys(packages), INLINE, TAG, ASSEMBLY];
const THROTTLES = [1, 6];
// The loads of each page in a run, which counts their median. That is each name at each place, and so behind each other
// name equally often.
const LOADS = 2 * names.length;
const BARS = { [OURS]: 0.8, [INLINE]: 1, [TAG]: 0.8 }; // of the assembly's time
const SDK = `
  async function ready({ PosConnect, defineKeypad, init, parsePhone }) {
    await init();
    const options = { baseUrl: "https://relay.example", connectUrl: "https://connect.example", clientId: "bench" };
    const client = await PosConnect.create({ ...options, headers: { authorization: "none" } });
    const Keypad = await defineKeypad();
    const { verdict } = parsePhone("0502345678", { region: "IL" });
    return [client, verdict === "valid", new Keypad()];
  }
`;
const MODULE = `
  import { PosConnect, defineKeypad, init, parsePhone } from "pos-connect";
  ${SDK}
  const readyAsModule = () => ready({ PosConnect, defineKeypad, init, parsePhone });
  export { readyAsModule as ready };
`;
const CLASSIC = `${SDK} var app = { ready: () => ready(posConnect) };`;
// What the job needs of each, and no more: bundlers leave out the rest.
const IMPORTS = {
  "@nangohq/frontend": 'export { default as Nango } from "@nangohq/frontend";',
  "libphonenumber-js/mobile": `export {
    formatIncompletePhoneNumber, parsePhoneNumberFromString, validatePhoneNumberLength,
  } from "libphonenumber-js/mobile";`,
  "simple-keyboard": `
    import "simple-keyboard/build/css/index.css";
    export { default as Keyboard } from "simple-keyboard";
  `,
};
const WHOLE = 'export * from "libphonenumber-js/mobile";';
const PARTS = `
  import { Keyboard, Nango, parsePhoneNumberFromString } from "parts";
  export { formatIncompletePhoneNumber, validatePhoneNumberLength } from "parts";
  export async function ready() {
    const client = new Nango({ connectSessionToken: "none" });
    const place = document.createElement("div");
    place.className = "simple-keyboard";
    const keyboard = new Keyboard(place, { layout: { default: ["1 2 3", "4 5 6", "7 8 9", "{bksp} 0 {enter}"] } });
    return [client, parsePhoneNumberFromString("0502345678", "IL").isValid(), keyboard];
  }
`;
const SCRIPT = `
  const [url, isClassic, done] = arguments;
  const tag = () => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src: url, onload: () => resolve(app), onerror: reject });
    document.head.append(script);
  });
  // Not while the browser still puts the page before this one away.
  requestIdleCallback(() => {
    const begun = performance.now();
    (isClassic ? tag() : import(url)).then((app) => app.ready()).then(
      ([, valid]) => done(valid ? performance.now() - begun : "The number was not valid."),
      (error) => done(String(error)),
    );
  }, { timeout: 2000 });
`;

/** The files of an app's bundle by their names; `app.js` is its entry. */
async function bundle(contents, plugins = []) {
  const resolveDir = import.meta.dirname;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, sourcefile: "app.js" },
    entryNames: "app",
    plugins,
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    write: false,
    outdir: "/",
    logLevel: "error",
  });
  return new Map(outputFiles.map(({ path, contents: bytes }) => [path.split(/[/\\]/).at(-1), bytes]));
}

/** Has `name` mean the file at `path`, or a module with these `contents`. */
const meaning = (name, { path, contents }) => ({
  name,
  setup(builder) {
    const resolved = path ? { path, sideEffects: false } : { path: name, namespace: name };
    builder.onResolve({ filter: new RegExp(`^${name}$`) }, () => resolved);
    builder.onLoad({ filter: /.*/, namespace: name }, () => ({ contents, resolveDir: import.meta.dirname }));
  },
});

/** The files of each app by name, and those of the load that is measured: ready before its page asks. */
const apps = {};
let served = new Map();
const WASM = "wasm/pos_connect_bg.wasm";

export async function routes() {
  for (const [name, folder] of Object.entries(packages)) {
    apps[name] = await bundle(MODULE, [meaning("pos-connect", { path: join(folder, "index.js") })]);
    apps[name].set(WASM, await readFile(join(folder, WASM)));
  }
  const ours = packages[OURS];
  apps[INLINE] = await bundle(MODULE, [meaning("pos-connect", { path: join(ours, "inline.js") })]);
  const script = await readFile(join(ours, "pos-connect.iife.js"), "utf8");
  apps[TAG] = new Map([["app.js", Buffer.from(`${script};${CLASSIC}`)], [WASM, apps[OURS].get(WASM)]]);
  apps[ASSEMBLY] = await bundle(PARTS, [meaning("parts", { contents: Object.values(IMPORTS).join("\n") })]);
  return { cold: (path) => served.get(path) };
}

/**
 * The files of an app below an address that was never asked for before, with another WebAssembly, so that nothing of it
 * is compiled yet: the browser keeps compiled modules by their bytes.
 */
function cold(name, load) {
  const wasm = apps[OURS].get(WASM);
  const other = marked(wasm, load);
  const exchanged = [
    [wasm.toString("base64"), other.toString("base64")],
    [hash(wasm), hash(other)],
  ];
  const fresh = ([path, bytes]) => {
    if (path === WASM) return [`${load}/${path}`, marked(bytes, load)];
    const text = Buffer.from(bytes).toString();
    return [`${load}/${path}`, exchanged.reduce((made, [from, to]) => made.replace(from, to), text)];
  };
  return new Map([...apps[name]].map(fresh));
}

/** As the script has that of the WebAssembly which it takes. */
const hash = (bytes) => createHash("sha384").update(bytes).digest("base64");

/** With a custom section of its own, which says nothing. */
function marked(wasm, mark) {
  const header = 8;
  const name = Buffer.from(`load ${mark}`);
  const section = Buffer.from([0, name.length + 1, name.length, ...name]);
  return Buffer.concat([wasm.subarray(0, header), section, wasm.subarray(header)]);
}

export async function measure(window, origin) {
  const missed = [];
  let load = 0;
  console.log(`\nimport → ready in Chromium: new page, no cache, loopback; medians of ${runs} runs of ${LOADS} loads`);
  console.log(`  ${"ms".padEnd(16)}${names.map((name) => name.padStart(14)).join("")}`);
  await window.sendDevToolsCommand("Network.enable", {});
  await window.sendDevToolsCommand("Network.setCacheDisabled", { cacheDisabled: true });
  for (const throttle of THROTTLES) {
    const times = Object.fromEntries(names.map((name) => [name, []]));
    for (let run = 0; run < runs; run += 1) {
      const loads = Object.fromEntries(names.map((name) => [name, []]));
      for (let turn = 0; turn < LOADS; turn += 1) {
        for (const name of inTurn(names, run * LOADS + turn)) {
          served = cold(name, (load += 1));
          loads[name].push(await timeToReady(window, origin, throttle, `/cold/${load}/app.js`, name === TAG));
        }
      }
      for (const name of names) times[name].push(median(loads[name]));
    }
    missed.push(...row(throttle, times));
  }
  await assemblySize();
  return missed;
}

async function timeToReady(window, origin, throttle, path, isClassic) {
  await window.get(`${origin}/ready.html`);
  await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: throttle });
  const took = await window.executeAsyncScript(SCRIPT, path, isClassic);
  await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: 1 });
  if (typeof took !== "number") throw new Error(`${path}: ${took}`);
  return took;
}

function row(throttle, times) {
  const label = throttle === 1 ? "full speed" : `${throttle}× throttle`;
  const columns = names.map((name) => median(times[name]).toFixed(1).padStart(14)).join("");
  console.log(`  ${label.padEnd(16)}${columns}`);
  for (const name of names.filter((name) => name !== ASSEMBLY)) {
    console.log(`  ${"".padEnd(16)}${name}: ${ratio(times[name], times[ASSEMBLY])} of the assembly`);
  }
  if (packages[AGAINST]) console.log(`  ${"".padEnd(16)}${OURS}: ${ratio(times[OURS], times[AGAINST])} of ${AGAINST}`);
  return Object.entries(BARS).flatMap(([name, bar]) => {
    const share = median(times[name].map((time, run) => time / times[ASSEMBLY][run]));
    return share < bar ? [] : [`${name} → ready, ${label}, below ${bar} of the assembly: ${share.toFixed(2)}`];
  });
}

/** The bytes of all files, as a server sends them. */
function brotli(files) {
  let sum = 0;
  for (const bytes of files.values()) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    sum += brotliCompressSync(bytes, { params }).length;
  }
  return sum;
}

/** What the goal in xtask/src/size.rs is measured by. */
async function assemblySize() {
  const parts = [];
  for (const [name, contents] of Object.entries(IMPORTS)) parts.push(`${name} ${brotli(await bundle(contents))}`);
  console.log(`  the assembly, bytes of brotli: ${brotli(apps[ASSEMBLY])}; of it ${parts.join(" + ")} alone`);
  const whole = brotli(await bundle(`${WHOLE} ${Object.values(IMPORTS).join("\n")}`));
  console.log(`  with all that libphonenumber-js/mobile exports: ${whole}`);
}

// From `import()` of an app's bundle to an app that is ready, beside what a web app would put together for the same job
// from npm: a connect frame, phone numbers, a keypad.
//
// Ready is the same for all: the client of the connect flow is made, a phone number was parsed, and a keypad is
// constructed, but not in the document. For ours that includes `init()`, the WebAssembly. The assembly's keyboard lays
// out its keys when it is constructed, ours when it asks; neither is styled or painted here.
import { build } from "esbuild";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { OURS, packages, runs } from "./package.mjs";
import { fileIn } from "./server.mjs";
import { inTurn, median, ratio } from "./statistics.mjs";

const ASSEMBLY = "assembly";
const names = [...Object.keys(packages), ASSEMBLY];
const THROTTLES = [1, 6];
// The loads of each page in a run, which counts their median. With three names that is every order once: none comes
// after the heaviest page more often than another.
const LOADS = 6;
const BAR = 0.8; // of the assembly's time
const SDK = `
  import { PosConnect, defineKeypad, init, parsePhone } from "pos-connect";
  export async function ready() {
    await init();
    const options = { baseUrl: "https://relay.example", connectUrl: "https://connect.example", clientId: "bench" };
    const client = await PosConnect.create({ ...options, headers: { authorization: "none" } });
    const Keypad = await defineKeypad();
    const { verdict } = parsePhone("0502345678", { region: "IL" });
    return [client, verdict === "valid", new Keypad()];
  }
`;
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
  const [url, done] = arguments;
  // Not while the browser still puts the page before this one away.
  requestIdleCallback(() => {
    const begun = performance.now();
    import(url).then((app) => app.ready()).then(
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

const bundles = {};

export async function routes() {
  for (const [name, folder] of Object.entries(packages)) {
    bundles[name] = await bundle(SDK, [meaning("pos-connect", { path: join(folder, "index.js") })]);
  }
  bundles[ASSEMBLY] = await bundle(PARTS, [meaning("parts", { contents: Object.values(IMPORTS).join("\n") })]);
  return { cold };
}

/** A file of an app below an address that was never asked for before; so nothing of it is compiled yet. */
async function cold(path) {
  const [load, name, ...rest] = path.split("/");
  const file = rest.join("/");
  const bytes = bundles[name]?.get(file) ?? (packages[name] && (await fileIn(packages[name], file)));
  return bytes && file.endsWith(".wasm") ? marked(bytes, load) : bytes;
}

/** With a custom section of its own, which says nothing: the browser keeps compiled modules by their first bytes. */
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
          loads[name].push(await timeToReady(window, origin, throttle, `/cold/${(load += 1)}/${name}/app.js`));
        }
      }
      for (const name of names) times[name].push(median(loads[name]));
    }
    missed.push(...row(throttle, times));
  }
  await assemblySize();
  return missed;
}

async function timeToReady(window, origin, throttle, path) {
  await window.get(`${origin}/ready.html`);
  await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: throttle });
  const took = await window.executeAsyncScript(SCRIPT, path);
  await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: 1 });
  if (typeof took !== "number") throw new Error(`${path}: ${took}`);
  return took;
}

function row(throttle, times) {
  const label = throttle === 1 ? "full speed" : `${throttle}× throttle`;
  const columns = names.map((name) => median(times[name]).toFixed(1).padStart(14)).join("");
  const others = names.filter((name) => name !== OURS).toReversed();
  const ratios = others.map((name) => `${ratio(times[OURS], times[name])} of ${name}`);
  console.log(`  ${label.padEnd(16)}${columns}   ${ratios.join(", ")}`);
  const share = median(times[OURS].map((time, run) => time / times[ASSEMBLY][run]));
  return share < BAR ? [] : [`import → ready, ${label}, below ${BAR} of the assembly: ${share.toFixed(2)}`];
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
  console.log(`  the assembly, bytes of brotli: ${brotli(bundles[ASSEMBLY])}; of it ${parts.join(" + ")} alone`);
  const whole = brotli(await bundle(`${WHOLE} ${Object.values(IMPORTS).join("\n")}`));
  console.log(`  with all that libphonenumber-js/mobile exports: ${whole}`);
}

// `cargo xtask bench` starts this: both engines in one page, in turn, each run in a page that was loaded anew. Prints medians of the runs.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { build } from "esbuild";
import { openBrowser } from "../e2e/support/browser.js";
import { pathFrom } from "../e2e/support/environment.js";
import { median, range } from "./statistics.mjs";

const runs = Number(process.env.POS_RUNS ?? 7);
const folders = { "/pos-connect/": pathFrom("POS_PACKAGE_DIR"), "/": import.meta.dirname };
const TYPES = { ".js": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };

const { outputFiles } = await build({
  stdin: { contents: 'export * from "libphonenumber-js/mobile"; export { default as examples } from "libphonenumber-js/mobile/examples";', resolveDir: import.meta.dirname },
  bundle: true, format: "esm", minify: true, write: false,
});
const peer = outputFiles[0].contents;

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const mount = Object.keys(folders).find((prefix) => pathname.startsWith(prefix));
  const name = normalize(pathname.slice(mount.length)).replace(/^(\.\.[/\\])+/, "");
  const body = pathname === "/peer.js" ? peer : await readFile(join(folders[mount], name)).catch(() => null);
  response.writeHead(body ? 200 : 404, {
    "content-type": TYPES[extname(pathname)] ?? "text/plain",
    // An isolated page's clock ticks every 5 µs, another's every 100.
    "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp",
  }).end(body ?? "");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;

const { window, close } = await openBrowser();
try {
  await window.manage().setTimeouts({ script: 120_000 });
  await phone(window);
  await keypad(window);
} finally {
  await close();
  server.close();
}

async function phone(window) {
  const results = [];
  for (let run = 0; run < runs; run += 1) {
    await window.get(`${origin}/phone.html`);
    await window.wait(() => window.executeScript("return 'measure' in window"), 20_000, "The page never had both engines.");
    // Whoever comes second finds a warmer page; so each is first in every other run.
    const result = await window.executeAsyncScript("const done = arguments[1]; measure(arguments[0]).then(done, (error) => done({ error: String(error) }));", run % 2 === 0);
    if (result.error) throw new Error(result.error);
    results.push(result);
  }
  const { numbers, keystrokes, version } = results[0];
  console.log(`\nphone numbers in Chromium, medians of ${runs} runs; ${numbers} mobile numbers of as many regions, ${keystrokes} keystrokes, each formatted and parsed, equal outputs; metadata ${version}`);
  console.log(`${"".padEnd(30)}${"pos-connect".padStart(14)}${"lib…-js/mobile".padStart(16)}${"ratio".padStart(9)}   (range of the runs' ratios)`);
  for (const [name, unit, digits] of [["first key", "ms", 3], ["keystroke p50", "ms", 4], ["keystroke p99", "ms", 4], ["10,000 parses", "ms", 0]]) {
    const [ours, theirs] = ["ours", "theirs"].map((engine) => results.map((result) => result[engine][name]));
    const ratios = theirs.map((value, index) => value / ours[index]);
    console.log(`${`  ${name}`.padEnd(30)}${`${median(ours).toFixed(digits)} ${unit}`.padStart(14)}${`${median(theirs).toFixed(digits)} ${unit}`.padStart(16)}${`${median(ratios).toFixed(1)}×`.padStart(9)}   (${range(ratios)})`);
  }
}

async function keypad(window) {
  const p95 = { keypad: [], button: [] };
  const p99 = { keypad: [], button: [] };
  for (let run = 0; run < runs; run += 1) {
    for (const what of ["keypad", "button"]) {
      await window.get(`${origin}/keypad.html?${what}`);
      await window.wait(() => window.executeScript("return window.ready"), 20_000);
      await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: 6 });
      const keys = await window.executeScript("return keys()");
      for (let round = 0; round < 10; round += 1) {
        const taps = keys.reduce((actions, [x, y]) => actions.move({ x, y, duration: 0 }).press().release().pause(30), window.actions({ async: true }));
        await taps.perform();
        await window.executeScript("clearDisplay()");
      }
      await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: 1 });
      const durations = await window.executeAsyncScript("const done = arguments[0]; setTimeout(() => done(durations()), 500);");
      p95[what].push(durations.p95);
      p99[what].push(durations.p99);
      if (run === 0) console.log(`${what}: ${durations.events} taps measured`);
    }
  }
  console.log(`\npointerdown → next paint at 6× CPU throttle (Event Timing, in steps of 8 ms; up to 16 ms is reported as 16), medians of ${runs} runs`);
  for (const [name, values] of [["p95", p95], ["p99", p99]]) {
    console.log(`  ${name}: keypad ${median(values.keypad)} ms (${range(values.keypad)}), a bare button that writes its digit ${median(values.button)} ms (${range(values.button)})`);
  }
}

// What a keystroke costs, formatted and parsed, beside libphonenumber-js in the same page.
import { build } from "esbuild";
import { AGAINST, OURS, packages, runs } from "./package.mjs";
import { inTurn, median, ratio } from "./statistics.mjs";

const PEER = "libphonenumber-js";
const names = [...Object.keys(packages), PEER];
const FIGURES = [
  ["first key", 3],
  ["keystroke p50", 4],
  ["keystroke p99", 4],
  ["10,000 parses", 0],
];
const BAR = 3; // times the peer's speed, at the median keystroke
const SCRIPT = `
  const [names, done] = arguments;
  measure(names).then(done, (error) => done({ error: String(error) }));
`;

export async function routes() {
  const contents = `
    export * from "libphonenumber-js/mobile";
    export { default as examples } from "libphonenumber-js/mobile/examples";
  `;
  const options = { bundle: true, format: "esm", minify: true, write: false };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: import.meta.dirname } });
  return { "peer.js": () => outputFiles[0].contents };
}

export async function measure(window, origin) {
  const results = [];
  for (let run = 0; run < runs; run += 1) {
    await window.get(`${origin}/phone.html?${names.join("&")}`);
    await window.wait(() => window.executeScript("return 'measure' in window"), 20_000, "The page has no engines.");
    const result = await window.executeAsyncScript(SCRIPT, inTurn(names, run));
    if (result.error) throw new Error(result.error);
    results.push(result);
  }
  const { numbers, keystrokes, versions } = results[0];
  console.log(`\nphone numbers in Chromium, medians of ${runs} runs; ${numbers} mobile numbers of as many regions,`);
  console.log(`${keystrokes} keystrokes, each formatted and parsed, equal outputs; metadata ${versions.join(", ")}`);
  console.log(`  ${"ms".padEnd(16)}${names.map((name) => name.padStart(20)).join("")}`);
  for (const [figure, digits] of FIGURES) {
    const of = (name) => results.map((result) => result[name][figure]);
    const columns = names.map((name) => median(of(name)).toFixed(digits).padStart(20)).join("");
    const speed = (name) => `${ratio(of(name), of(OURS))} × ${name}'s speed`;
    const others = names.filter((name) => name !== OURS).toReversed();
    console.log(`  ${figure.padEnd(16)}${columns}   ${others.map(speed).join(", ")}`);
  }
  return bars(results);
}

function bars(results) {
  const figure = "keystroke p50";
  const times = (name) => median(results.map((result) => result[name][figure] / result[OURS][figure]));
  const missed = times(PEER) < BAR ? [`a keystroke ${BAR} × as fast as ${PEER}: ${times(PEER).toFixed(2)} ×`] : [];
  // Within what two runs of one package differ by.
  if (AGAINST in packages && times(AGAINST) < 0.95) missed.push(`a keystroke no slower than ${AGAINST}`);
  return missed;
}

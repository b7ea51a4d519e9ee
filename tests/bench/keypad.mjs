// From the finger to the paint on a slow machine, beside the least that a page can do.
import { OURS, packages, runs } from "./package.mjs";
import { inTurn, median, range } from "./statistics.mjs";

const BUTTON = "bare button";
const names = [...Object.keys(packages), BUTTON];
const THROTTLE = 6;
const ROUNDS = 10;
const OPEN = 100; // ms: for so long at most the shopper waits for the first keypad of a page
const FRAME = 16; // ms: as far behind a bare button the keypad may be

export const routes = () => ({});

export async function measure(window, origin) {
  const durations = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const name of inTurn(names, run)) {
      durations[name].push(await taps(window, `${origin}/keypad.html?${name}`));
    }
  }
  const [{ events }] = durations[OURS];
  console.log(`\npointerdown → next paint at ${THROTTLE}× CPU throttle, medians of ${runs} runs of ${events} taps`);
  console.log("(Event Timing counts in steps of 8 ms, and reports up to 16 ms as 16)");
  const middle = (name, figure) => median(durations[name].map((result) => result[figure]));
  for (const name of names) {
    const of = (figure) => durations[name].map((result) => result[figure]);
    const columns = ["p95", "p99"].map((figure) => `${figure} ${middle(name, figure)} ms (${range(of(figure), 0)})`);
    console.log(`  ${name.padEnd(16)}${columns.map((column) => column.padEnd(26)).join("")}`.trimEnd());
  }
  const behind = middle(OURS, "p95") - middle(BUTTON, "p95");
  console.log(`  the keypad's p95 is ${behind} ms behind the bare button's; the bar is ${FRAME}`);
  const failures = behind > FRAME ? [`pointerdown → paint within ${FRAME} ms of a bare button: ${behind} ms`] : [];
  return [...failures, ...opening(durations)];
}

/** From a page's first ask to the paint, at full speed. */
function opening(durations) {
  console.log(`\nfirst ask of a page → paint, medians of ${runs} runs; the bar is ${OPEN} ms`);
  const failures = [];
  for (const name of names.filter((name) => name !== BUTTON)) {
    const all = durations[name].map(({ opened }) => opened);
    const middle = Math.round(median(all));
    console.log(`  ${name.padEnd(16)}${middle} ms (${range(all, 0)})`);
    if (name === OURS && middle > OPEN) failures.push(`the keypad opens within ${OPEN} ms: ${middle} ms`);
  }
  return failures;
}

/** Taps ten digits, several times over, on a page that was loaded anew. */
async function taps(window, url) {
  await window.get(url);
  await window.wait(() => window.executeScript("return window.ready"), 20_000, "The page has no keys.");
  await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: THROTTLE });
  const keys = await window.executeScript("return keys()");
  for (let round = 0; round < ROUNDS; round += 1) {
    const tap = (actions, [x, y]) => actions.move({ x, y, duration: 0 }).press().release().pause(30);
    await keys.reduce(tap, window.actions({ async: true })).perform();
    await window.executeScript("clearDisplay()");
  }
  await window.sendDevToolsCommand("Emulation.setCPUThrottlingRate", { rate: 1 });
  return window.executeAsyncScript("const [done] = arguments; setTimeout(() => done(durations()), 500);");
}

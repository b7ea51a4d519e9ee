// The pages of this suite, and what a page of it has found.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { eventually } from "../e2e/support/wait.js";
import { resultOf } from "../package/browser.js";
import { installed } from "../package/installed.js";

/** For what never comes: on a quiet machine a report takes half a minute at most. */
const SECONDS = 800;
/** A file of another suite: draws that are the same in each run. */
const DICE = new URL("../hostile/page/dice.js", import.meta.url);

const shared = installed(new URL("page/", import.meta.url), { "dice.js": DICE });

/** What a page says in the end, on which the driver's keyboard may have typed. */
export const hardware = {
  open: () => resultOf(shared.browser, `${shared.url}till.html?what=hardware`, SECONDS),
  type: async () => shared.browser.type(await shared.browser.evaluate("return hardware.typed()")),
  /** When the keypad shows the number. */
  look: () => {
    const seen = async () => JSON.parse(await shared.browser.evaluate("return hardware.look()"));
    return eventually(() => seen().then((one) => one.isShown && one), "The keypad never showed what was typed.");
  },
};

export async function report(what) {
  const report = await resultOf(shared.browser, `${shared.url}?what=${what}`, SECONDS);
  assert.equal(report.broken, undefined);
  console.log(`${what}: ${report.asks ?? report.calls ?? report.tried} in ${report.ms} ms`);
  return report;
}

/** What is left, the same in many asks said once. */
export function assertNone(leaks) {
  const places = new Map();
  for (const leak of leaks) {
    const [from, place] = leak.split(/: (.*)/);
    places.set(place, [...(places.get(place) ?? []), from]);
  }
  const said = [...places].map(([place, from]) => `${place}: ${from.length} times, e.g. ${from[0]}`);
  assert.equal(leaks.length, 0, `the number is left in\n  ${said.join("\n  ")}`);
}

/** Every outcome that `index.d.ts` promises, as "kind reason". */
async function promised() {
  const types = await readFile(`${shared.folder}/node_modules/pos-connect/index.d.ts`, "utf8");
  const words = (text) => [...text.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word);
  const reasons = words(/export type PrintReason =([^;]+);/.exec(types)[1]);
  const none = words(/kind: "none";[^}]*reason: ([^;]+);/.exec(types)[1]);
  return ["ereceipt", ...reasons.map((reason) => `print ${reason}`), ...none.map((reason) => `none ${reason}`)];
}

/** Declares the test of a language: every case, by each hand. */
export function matrixIn(locale) {
  test(`the keypad leaves nothing behind: ${locale}`, async () => {
    const { asks, ran, failures, leaks } = await report(locale);
    assert.deepEqual(failures, []);
    assert.equal(ran.length, asks);
    const missing = (await promised()).filter((outcome) => !ran.includes(outcome));
    assert.deepEqual(missing, [], "every outcome came up");
    assertNone(leaks);
  });
}

// The shopper's number is nowhere that a page can read, whatever the outcome: in the package as it is installed.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { openBrowser, resultOf } from "../package/browser.js";
import { newProject } from "../package/project.js";
import { serve } from "../package/site.js";

/** For what never comes: on a quiet machine a report takes a few seconds. */
const SECONDS = 300;

let project, site, browser;
before(async () => {
  const folder = new URL("page/", import.meta.url);
  const files = {};
  for (const name of await readdir(folder)) files[name] = await readFile(new URL(name, folder), "utf8");
  project = await newProject(files);
  site = await serve(project.folder);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await project?.remove();
});

async function report(what) {
  const report = await resultOf(browser, `${site.url}?what=${what}`, SECONDS);
  assert.equal(report.broken, undefined);
  console.log(`${what}: ${report.asks ?? report.calls ?? report.tried} in ${report.ms} ms`);
  return report;
}

/** What is left, the same in many asks said once. */
function assertNone(leaks) {
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
  const types = await readFile(`${project.folder}/node_modules/pos-connect/index.d.ts`, "utf8");
  const words = (text) => [...text.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word);
  const reasons = words(/export type PrintReason =([^;]+);/.exec(types)[1]);
  const none = words(/kind: "none";[^}]*reason: ([^;]+);/.exec(types)[1]);
  return ["ereceipt", ...reasons.map((reason) => `print ${reason}`), ...none.map((reason) => `none ${reason}`)];
}

test("each detector finds what is leaked on purpose", async () => {
  const { tried, blind } = await report("canaries");
  assert.ok(tried > 40, "all canaries were tried");
  assert.deepEqual(blind, []);
});

test("a real keyboard's keys make no further event that reaches the page", async () => {
  await resultOf(browser, `${site.url}till.html?what=hardware`, SECONDS);
  await browser.type(await browser.evaluate("return hardware.typed()"));
  const { isShown, leaks, types } = JSON.parse(await browser.evaluate("return hardware.look()"));
  assert.ok(isShown, "the keypad shows the number that was typed");
  assert.deepEqual(leaks, []);
  assert.deepEqual(types, ["keydown", "keyup"], "what is said before the keypad could stop it");
});

test("parsePhone and formatPhoneAsYouType leave nothing behind", async () => {
  const { calls, leaks } = await report("phones");
  assert.ok(calls > 400, "all forms were tried");
  assertNone(leaks);
});

for (const locale of ["en", "he", "ar", "es"]) {
  test(`the keypad leaves nothing behind: ${locale}`, async () => {
    const { asks, ran, failures, leaks } = await report(locale);
    assert.deepEqual(failures, []);
    assert.equal(ran.length, asks);
    const missing = (await promised()).filter((outcome) => !ran.includes(outcome));
    assert.deepEqual(missing, [], "every outcome came up");
    assertNone(leaks);
  });
}

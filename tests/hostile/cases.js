// The cases of files of the page, a test each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resultOf } from "../package/browser.js";
import { hostile, source } from "./site.js";

/** For what never comes. */
const SECONDS = 240;

/** Declares the tests of these files. Every exported function is one. */
export async function casesOf(...files) {
  const shared = hostile();
  for (const file of files) {
    const exported = (await source(file)).matchAll(/^export (?:const|async function) (\w+)/gm);
    const names = [...exported].map(([, name]) => name);
    assert.ok(names.length > 0, `${file} has cases`);
    for (const name of names) {
      test(name.replaceAll("_", " "), async () => {
        const { failed, uncaught } = await resultOf(shared.browser, `${shared.url}case.html?case=${name}`, SECONDS);
        if (failed) assert.fail(failed);
        assert.deepEqual(uncaught, []);
      });
    }
  }
}

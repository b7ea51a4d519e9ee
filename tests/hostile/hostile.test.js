// The package as it is installed, in pages that do to it what real pages, their libraries and their users do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { resultOf } from "../package/browser.js";
import { hostile, source } from "./site.js";

/** For what never comes. */
const SECONDS = 120;

const shared = hostile();
const files = [...(await source("cases.js")).matchAll(/from "\.\/(\w+\.js)"/g)].map(([, name]) => name);
for (const file of files) {
  const names = [...(await source(file)).matchAll(/^export (?:const|async function) (\w+)/gm)].map(([, name]) => name);
  assert.ok(names.length > 0, `${file} has cases`);
  for (const name of names) {
    test(name.replaceAll("_", " "), async () => {
      const { failed, uncaught } = await resultOf(shared.browser, `${shared.url}case.html?case=${name}`, SECONDS);
      if (failed) assert.fail(failed);
      assert.deepEqual(uncaught, []);
    });
  }
}

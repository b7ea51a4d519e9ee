// The real client in a page, over the service of pos-connect/testing, by the suite that the fake client passes too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CASES } from "./behavior/suite.js";
import { resultOf } from "./browser.js";
import { installed } from "./installed.js";

const shared = installed(new URL("behavior/", import.meta.url));

/** For what never comes. */
const SECONDS = 240;

let page;
/** One page does all cases: a till's lives long, too. */
const results = () => (page ??= resultOf(shared.browser, shared.url, SECONDS));

for (const { name, gives } of CASES) {
  test(name, async () => assert.deepEqual((await results())[name], JSON.parse(JSON.stringify(gives))));
}

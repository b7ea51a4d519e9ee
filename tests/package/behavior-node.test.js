// @tier first
// @engines chromium: no browser is opened
// The real client in Node, over the service of pos-connect/testing: the part of the suite that needs no page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { realClient, until } from "./behavior/client.js";
import { CASES, results } from "./behavior/suite.js";
import { newProject } from "./project.js";

const cases = CASES.filter(({ isInPage }) => !isInPage);

let project, all;
before(async () => {
  project = await newProject();
  const load = (file) => import(pathToFileURL(`${project.folder}/node_modules/pos-connect/${file}`));
  const { PosConnect } = await load("inline.js");
  const { fakeService } = await load("testing/index.js");
  const client = (script, callbacks) => realClient({ PosConnect, fakeService }, script, callbacks);
  all = await results(cases, async (...given) => ({ ...(await client(...given)), until }));
});
after(() => project.remove());

for (const { name, gives } of cases) {
  test(name, () => assert.deepEqual(all[name], JSON.parse(JSON.stringify(gives))));
}

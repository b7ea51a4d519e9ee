// @engines chromium: only its driver has the garbage collected when it is asked
// What a till that makes an object for each order leaves in memory: nothing, once each was destroyed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../e2e/support/wait.js";
import { becomes, field } from "./site.js";

const shared = field();

const MAKE = `
  const [done] = arguments;
  async function make() {
    const { PosConnect } = await import("./node_modules/pos-connect/index.js");
    const [baseUrl, connectUrl] = [location.origin, new URL("connect.html", location.href).href];
    for (let count = 0; count < 10; count += 1) {
      const pos = await PosConnect.create({ baseUrl, connectUrl, clientId: "till", ereceipt: true });
      const integration = await pos.createIntegration();
      pos.subscribe(() => {});
      await pos.orders.list();
      for (const one of [integration, pos]) {
        one.destroy();
        made.push(new WeakRef(one));
      }
    }
  }
  globalThis.made = [];
  make().then(() => done(), (error) => done(String(error)));
`;
const LEFT = "return made.filter((one) => one.deref()).length";

test("objects and integrations that were destroyed are freed", async () => {
  const { window, url } = shared;
  await window.get(`${url}beside.html`);
  await becomes(window, "return document.body?.dataset.ready === ''", true);
  assert.equal(await window.executeAsyncScript(MAKE), null);
  assert.equal(await window.executeScript("return made.length"), 20);
  let left;
  const freed = async () => {
    await window.sendDevToolsCommand("HeapProfiler.collectGarbage");
    left = await window.executeScript(LEFT);
    return left === 0;
  };
  await eventually(freed, () => `${left} are left.`);
});

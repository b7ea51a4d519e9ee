// @engines chromium: only it keeps large values in files of their own
// Orders above 64 KiB.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { filesBelow } from "./support/disk.js";
import { until, world } from "./support/world.js";

const tabs = world();
const ORDER = "POST /v1/orders";

/** A till whose outbox holds orders of so many lines, which the browser has written to the disk. */
async function kept(name, lines) {
  const service = await tabs.forwarder();
  const tab = await tabs.tab();
  await tab.use(service);
  await tabs.consent(await tab.ok("create"));
  const { accessToken } = await tab.ok("fetchTokens");
  await tab.use(service, { accessToken });
  const stop = service.stop(ORDER, "before");
  for (const [at, count] of lines.entries()) await tab.begin(`sell ${at}`, "sellLines", `${name}-${at}`, count);
  await stop.reached();
  service.isSilent = true;
  await until("all are kept", async () => (await tab.ok("outbox")).length === lines.length);
  await tabs.closeBrowser();
  service.isSilent = false;
  return { service, accessToken };
}

// Chromium ended its transaction before it gave a large row, in two loads of three.
for (const load of [1, 2, 3, 4])
  tabs.test(`an order of 300 lines goes out, and what stands behind it: load ${load}`, async () => {
    const { service, accessToken } = await kept(load, [300, 1, 1]);
    const tab = await tabs.reopenBrowser();
    await tab.use(service, { accessToken });
    await until("the outbox is empty", async () => (await tab.ok("outbox")).length === 0);
    assert.deepEqual(service.answers(ORDER), [200, 200, 200]);
  });

tabs.test("a large order whose file is gone is listed, and keeps no other", async () => {
  const { service, accessToken } = await kept("lost", [500, 1, 400, 1]);
  for await (const path of filesBelow(tabs.profile)) if (path.includes(".indexeddb.blob/")) await rm(path);
  const tab = await tabs.reopenBrowser();
  await tab.use(service, { accessToken });
  await until("the small ones are sent", async () => service.answers(ORDER).length === 2);
  await until("they leave the outbox", async () => (await tab.ok("outbox")).length === 2);
  const lost = await tab.ok("unreadable");
  assert.deepEqual(
    lost.map(({ state, code, order }) => [state, code, order]),
    [
      ["refused", "vault_failed", null],
      ["refused", "vault_failed", null],
    ],
  );
  const [{ id }] = lost;
  assert.equal(await tab.ok("retryOrder", id), false);
  assert.equal(await tab.ok("discardOrder", id), true);
  assert.equal(await tab.ok("discardOrder", id), false);
  await tab.ok("sellLines", "lost-4", 450);
  await until("a new one is sent", async () => service.answers(ORDER).length === 3);
  await tab.ok("forget");
  assert.deepEqual(await tab.ok("outbox"), []);
});

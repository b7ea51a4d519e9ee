// @tier first
// @engines chromium: only its driver freezes a tab
// A tab is frozen while its order is on its way: another one sends all. Within what time, tests/flow/frozen.rs says.
import assert from "node:assert/strict";
import { until, world } from "./support/world.js";

const tabs = world();
const ORDER = "POST /v1/orders";

tabs.test("a tab that is frozen while it sends keeps no other tab's order, and no person, waiting", async () => {
  const service = await tabs.forwarder();
  const [tab, beside] = await tabs.tabs(2);
  await tab.use(service);
  await tabs.consent(await tab.ok("create"));
  const { accessToken } = await tab.ok("fetchTokens");
  for (const each of [tab, beside]) await each.use(service, { accessToken });
  const stop = service.stop(ORDER, "after");
  await tab.begin("sell", "sellLines", "frozen-1", 1);
  await stop.reached();
  service.isSilent = true;
  await tab.freeze();
  service.isSilent = false;
  await beside.begin("sell", "sellLines", "frozen-2", 1);
  await until("both have left the outbox", async () => (await beside.ok("outbox")).length === 0);
  // The service has them once, and what the frozen tab hears of it later changes nothing.
  stop.release();
  await tab.thaw();
  assert.deepEqual(await tab.ok("outbox"), []);
  assert.deepEqual(service.answers(ORDER), [200, 200, 200]);
});

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { filesWith } from "./support/disk.js";
import { DRIVER_KEEPS_PROFILE, until, world } from "./support/world.js";

const tabs = world();
const ORDER = "POST /v1/orders";

// How the page that sends ends, and which one goes on. `isOnDisk`: the files of the profile can be searched.
const ENDS = {
  "the tab is closed": {
    isOnDisk: DRIVER_KEEPS_PROFILE,
    open: () => tabs.tabs(1),
    async leave([tab]) {
      await tabs.close(tab);
      return tabs.tab();
    },
  },
  "the tab is closed beside another one": {
    isOnDisk: DRIVER_KEEPS_PROFILE,
    open: () => tabs.tabs(2),
    async leave([tab, beside]) {
      await tabs.close(tab);
      return beside;
    },
  },
  "the browser is killed": {
    isOnDisk: true,
    open: () => tabs.keptTabs(1),
    async leave() {
      await tabs.killBrowser();
      return tabs.reopenBrowser();
    },
  },
};
// MiniBrowser without its driver cannot be told to end.
if (DRIVER_KEEPS_PROFILE)
  ENDS["the browser is closed"] = {
    isOnDisk: true,
    open: () => tabs.tabs(1),
    async leave() {
      await tabs.closeBrowser();
      return tabs.reopenBrowser();
    },
  };

/** A number that stands nowhere yet. */
const randomPhone = () => `+97252${randomInt(2_000_000, 10_000_000)}`;
/** In each form of the number that an order has. */
const filesWithPhone = (phone) => filesWith(tabs.profile, phone.slice(1));

/** Tabs of a connected till, with an account that has e-receipts. */
async function connected(open) {
  const service = await tabs.forwarder();
  const opened = await open();
  const [tab] = opened;
  await tab.use(service);
  await tabs.consent(await tab.ok("create"));
  const { accessToken } = await tab.ok("fetchTokens");
  for (const each of opened) await each.use(service, { accessToken });
  return { service, opened, accessToken };
}

for (const [end, { open, leave }] of Object.entries(ENDS)) {
  tabs.test(`${end} while its shopper is asked: the order is sent once, and the next page prints`, async () => {
    const { service, opened, accessToken } = await connected(open);
    const [tab] = opened;
    const externalId = `${end}, asked`;
    await tab.begin("charge", "charge", externalId);
    await until("the shopper is asked", () => tab.ok("isAsked"));
    const next = await leave(opened);
    await next.use(service, { accessToken });
    await until("the sale comes back", async () => (await next.ok("interrupted")).length > 0);
    assert.deepEqual(await next.ok("interrupted"), [[externalId, "interrupted"]]);
    await until("the order leaves the outbox", async () => (await next.ok("outbox")).length === 0);
    assert.deepEqual(service.answers(ORDER), [200]);
    assert.deepEqual(await next.ok("printed"), []);
    await next.use(service, { accessToken });
    assert.equal((await next.ok("order", externalId)).order.externalId, externalId);
    assert.deepEqual(await next.ok("interrupted"), [[externalId, "interrupted"]], "It came back twice.");
  });
}

for (const [end, { isOnDisk, open, leave }] of Object.entries(ENDS)) {
  for (const [at, answers] of Object.entries({ before: [200], after: [200, 200] })) {
    tabs.test(`${end} ${at} the service has seen its order: sent once, and the number is not on the disk`, async () => {
      const { service, opened, accessToken } = await connected(open);
      const phone = randomPhone();
      // Firefox compresses what it stores, and may tear one number that repeats itself; not three.
      const canaries = [randomPhone(), randomPhone(), randomPhone()];
      const [tab] = opened;
      for (const canary of canaries) await tab.ok("storePlain", canary);
      const messages = (await tabs.service.messages()).length;
      const stop = service.stop(ORDER, at);
      const externalId = `${end}, ${at}`;
      await tab.begin("sell", "sell", externalId, phone);
      await stop.reached();
      assert.deepEqual(await tab.ok("outbox"), [{ externalId, state: "queued", hasEreceipt: true }]);
      const next = await leave(opened);
      if (isOnDisk) {
        const found = await Promise.all(canaries.map(filesWithPhone));
        assert.notDeepEqual(found.flat(), [], "The search would not find a number.");
        assert.deepEqual(await filesWithPhone(phone), [], "The number of an order that waits is in the profile.");
      }
      await next.use(service, { accessToken });
      await until("the order leaves the outbox", async () => (await next.ok("outbox")).length === 0);
      assert.deepEqual(service.answers(ORDER), answers);
      assert.equal((await next.ok("order", externalId)).order.externalId, externalId);
      await until("its message", async () => (await tabs.service.messages()).length > messages);
      const sent = (await tabs.service.messages()).slice(messages);
      assert.deepEqual(
        sent.map(({ to }) => to.slice(-4)),
        [phone.slice(-4)],
        "One order made another message.",
      );
      if (isOnDisk) assert.deepEqual(await filesWithPhone(phone), [], "The number of a sent order is in the profile.");
    });
  }
}

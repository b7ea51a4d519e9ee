// Pages end while their orders are on their way; the next page sends each once.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { filesWith } from "./support/disk.js";
import { DRIVER_KEEPS_PROFILE, until, world } from "./support/world.js";

const tabs = world();
const ORDER = "POST /v1/orders";

/** A number that stands nowhere yet. */
const randomPhone = () => `+97252${randomInt(2_000_000, 10_000_000)}`;
/** In each form of the number that an order has. */
const filesWithPhone = (phone) => filesWith(tabs.profile, phone.slice(1));

/** An order whose page has come to a moment: a connected till, with an account that has e-receipts. */
class Sale {
  constructor(moment, end, tab, beside) {
    Object.assign(this, moment, { tab, beside, externalId: `${end}, ${moment.name}` });
  }

  async begin() {
    this.service = await tabs.forwarder();
    await this.tab.use(this.service);
    await tabs.consent(await this.tab.ok("create"));
    this.accessToken = (await this.tab.ok("fetchTokens")).accessToken;
    if (this.beside) await this.use(this.beside);
    await this.use(this.tab);
    await this.reach(this);
  }

  async use(tab) {
    await tab.use(this.service, { accessToken: this.accessToken });
  }

  /** The next page sends it, once. */
  async isSent() {
    await until("the order leaves the outbox", async () => (await this.tab.ok("outbox")).length === 0);
    assert.deepEqual(this.service.answers(ORDER), this.answers);
    assert.equal((await this.tab.ok("order", this.externalId)).order.externalId, this.externalId);
  }
}

const sending = (at, answers) => ({
  name: `${at} the service has seen its order`,
  answers,
  async reach(sale) {
    const { tab, service, externalId } = sale;
    sale.phone = randomPhone();
    const stop = service.stop(ORDER, at);
    await tab.begin("sell", "sell", externalId, sale.phone);
    await stop.reached();
    service.isSilent = true;
    assert.deepEqual(await tab.ok("outbox"), [{ externalId, state: "queued", hasEreceipt: true }]);
  },
  check: (sale) => sale.isSent(),
});

// The page that asks stays in front until it ends: so that one is the last.
const MOMENTS = [
  sending("before", [200]),
  sending("after", [200, 200]),
  {
    name: "while its shopper is asked",
    answers: [200],
    async reach({ tab, externalId }) {
      await tab.begin("charge", "charge", externalId);
      await until("the shopper is asked", () => tab.ok("isAsked"));
    },
    async check(sale) {
      const { tab, externalId } = sale;
      const isBack = async () => assert.deepEqual(await tab.ok("interrupted"), [[externalId, "interrupted"]]);
      await until("the sale comes back", async () => (await tab.ok("interrupted")).length > 0);
      await isBack();
      await sale.isSent();
      assert.deepEqual(await tab.ok("printed"), []);
      await sale.use(tab);
      // Not a second time.
      await isBack();
    },
  },
];

/** One page after the other for all of them. */
const another = (tab) => async () => {
  await tab.visit();
  return tab;
};

// How the pages that send end, and which ones go on. `isOnDisk`: the files of the profile can be searched.
const ENDS = {
  "the tab is closed beside another one": {
    isOnDisk: DRIVER_KEEPS_PROFILE,
    open: (count) => tabs.tabs(2 * count),
    async leave(sales) {
      for (const { tab } of sales.toReversed()) await tabs.close(tab);
      return async ({ beside }) => beside;
    },
  },
  "the browser is killed": {
    isOnDisk: true,
    open: (count) => tabs.keptTabs(count),
    async leave() {
      await tabs.killBrowser();
      return another(await tabs.reopenBrowser());
    },
  },
};
// MiniBrowser without its driver cannot be told to end.
if (DRIVER_KEEPS_PROFILE)
  ENDS["the browser is closed"] = {
    isOnDisk: true,
    open: (count) => tabs.tabs(count),
    async leave() {
      await tabs.closeBrowser();
      return another(await tabs.reopenBrowser());
    },
  };

for (const [end, { isOnDisk, open, leave }] of Object.entries(ENDS)) {
  tabs.test(`${end}: each order is sent once, and no number is on the disk`, async (parent) => {
    const opened = await open(MOMENTS.length);
    const sales = MOMENTS.map((moment, at) => new Sale(moment, end, opened[at], opened[at + MOMENTS.length]));
    // Firefox compresses what it stores, and may tear one number that repeats itself; not three.
    const canaries = [randomPhone(), randomPhone(), randomPhone()];
    for (const canary of canaries) await sales[0].tab.ok("storePlain", canary);
    const had = (await tabs.service.messages()).length;
    for (const sale of sales) await sale.begin();
    const phones = sales.flatMap(({ phone }) => phone ?? []);
    const next = await leave(sales);
    const isClean = async () => {
      for (const phone of phones) assert.deepEqual(await filesWithPhone(phone), [], "A number is in the profile.");
    };
    if (isOnDisk) {
      const found = await Promise.all(canaries.map(filesWithPhone));
      assert.notDeepEqual(found.flat(), [], "The search would not find a number.");
      await isClean();
    }
    for (const sale of sales) {
      await parent.test(sale.name, async () => {
        sale.tab = await next(sale);
        sale.service.isSilent = false;
        await sale.use(sale.tab);
        await sale.check(sale);
      });
    }
    const sent = async () => (await tabs.service.messages()).slice(had).map(({ to }) => to.slice(-4));
    await until("their messages", async () => (await sent()).length >= phones.length);
    assert.deepEqual((await sent()).sort(), phones.map((phone) => phone.slice(-4)).sort(), "One message for each.");
    if (isOnDisk) await isClean();
  });
}

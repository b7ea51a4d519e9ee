import assert from "node:assert/strict";
import { until } from "./world.js";

/** Two token sets are compared without showing them. */
export function same(one, other) {
  return one.accessToken === other.accessToken && one.refreshToken === other.refreshToken;
}

/** A tab on its way through the steps, and what the test knows of it. */
export class Journey {
  constructor(world, step) {
    this.world = world;
    this.step = step;
  }

  async begin(tab) {
    this.service = await this.world.forwarder(this.step.service);
    this.tab = await tab.use(this.service, this.step.page);
    this.token = await this.tab.ok("create");
    await this.step.reach(this);
    this.service.isSilent = true;
  }

  /** Where the next page begins. */
  async arrive(tab) {
    this.tab = tab;
    this.service.isSilent = false;
    await tab.use(this.service, this.step.nextPage);
    await this.step.check(this);
    assert.ok(
      this.service.answers("token").filter((status) => status === 200).length <= 1,
      "The token call was answered 200 twice.",
    );
  }

  consent() {
    return this.world.consent(this.token);
  }

  /** Consents, begins the pick-up, and gives back once the call waits there. */
  async fetchUntil(name, at) {
    await this.consent();
    const stop = this.service.stop(name, at);
    await this.tab.begin("fetch", "fetchTokens");
    await stop.reached();
  }

  counts() {
    return {
      token: this.service.answers("token"),
      reissue: this.service.answers("reissue"),
      acknowledge: this.service.answers("acknowledge"),
    };
  }

  /** The statuses of all calls that reached the service since the integration was created. */
  counted(expected) {
    assert.deepEqual(this.counts(), { token: [], reissue: [], acknowledge: [], ...expected });
  }

  async resumes() {
    assert.ok((await this.tab.ok("resume")) === this.token, "resume() gave another integration, or none.");
  }

  async hasNothing() {
    assert.equal(await this.tab.ok("resume"), null);
  }

  /** The token set, twice, without another call for the second. */
  async fetches() {
    const tokens = await this.tab.ok("fetchTokens");
    assert.equal(tokens.held, false);
    const before = this.counts();
    assert.ok(same(await this.tab.ok("fetchTokens"), tokens), "A repeat gave another set.");
    assert.deepEqual(this.counts(), before, "A repeat asked again.");
    return tokens;
  }

  /** Hands the set over: nothing of it is left, the record stays, and the service takes the tokens. */
  async settles(tokens) {
    await this.tab.ok("acknowledgeTokens");
    await this.isHandedOver();
    assert.ok(await this.world.isLive(tokens), "The service does not take the token.");
  }

  async isHandedOver() {
    assert.equal(await this.tab.ok("unfinished"), false);
    const members = ["account", "ereceipt", "expiration", "store"];
    assert.deepEqual(await this.tab.ok("connection"), { ereceipt: true, account: "string", expires: true, members });
  }
}

/**
 * What the browser keeps or loses at each step; the rest of what a page may end in is in `src/connect/tests.rs`.
 * `service`, `page`, `nextPage`: options of the forwarder, the page and the one after it; `reach` goes to where the
 * page ends; `check` is what the next one finds.
 */
export const STEPS = [
  {
    name: "created, undecided: it is resumed, and not finished until the merchant consents",
    reach: async () => {},
    async check(journey) {
      await journey.resumes();
      assert.equal((await journey.tab.fails("fetchTokens")).code, "not_finished");
      await journey.consent();
      const tokens = await journey.fetches();
      journey.counted({ token: [409, 200] });
      await journey.settles(tokens);
    },
  },
  {
    name: "the call had not reached the service: the next one gives the tokens",
    reach: (journey) => journey.fetchUntil("token", "before"),
    async check(journey) {
      journey.counted({});
      await journey.resumes();
      const tokens = await journey.fetches();
      journey.counted({ token: [200] });
      await journey.settles(tokens);
    },
  },
  {
    name: "the answer was lost: it is reissued",
    reach: (journey) => journey.fetchUntil("token", "after"),
    async check(journey) {
      journey.counted({ token: [200] });
      await journey.resumes();
      const tokens = await journey.fetches();
      journey.counted({ token: [200, 410], reissue: [200] });
      await journey.settles(tokens);
    },
  },
  {
    name: "tokens in the page, not acknowledged: the same set again, without a call",
    async reach(journey) {
      await journey.consent();
      journey.tokens = await journey.fetches();
    },
    check: findsTheSameSet,
  },
  {
    name: "persistTokens had not resolved: the next page hands the same set over by itself",
    page: { persist: "hang" },
    nextPage: { persist: "keep" },
    async reach(journey) {
      await journey.consent();
      journey.tokens = await journey.fetches();
      await until("the hand-over began", async () => (await journey.tab.ok("handed")).length === 1);
    },
    async check(journey) {
      await until("the hand-over", async () => !(await journey.tab.ok("unfinished")));
      const handed = await journey.tab.ok("handed");
      assert.equal(handed.length, 1);
      assert.ok(same(handed[0], journey.tokens), "Another set was handed over.");
      await journey.isHandedOver();
      journey.counted({ token: [200] });
    },
  },
  {
    name: "persistTokens had resolved: nothing is left but the connection",
    page: { persist: "keep" },
    nextPage: { persist: "keep" },
    async reach(journey) {
      await journey.consent();
      await journey.tab.ok("fetchTokens");
      await until("the hand-over", async () => !(await journey.tab.ok("unfinished")));
      assert.equal((await journey.tab.fails("fetchTokens")).code, "tokens_already_retrieved");
      assert.equal((await journey.tab.ok("handed")).length, 1);
    },
    async check(journey) {
      await journey.hasNothing();
      await journey.isHandedOver();
      assert.deepEqual(await journey.tab.ok("handed"), []);
      journey.counted({ token: [200] });
    },
  },
  {
    name: "acknowledged, not waited for: the set is there as it was, or gone",
    async reach(journey) {
      await journey.consent();
      journey.tokens = await journey.fetches();
      await journey.tab.begin("acknowledge", "acknowledgeTokens");
    },
    async check(journey) {
      if (await journey.tab.ok("unfinished")) await findsTheSameSet(journey);
      await journey.isHandedOver();
      journey.counted({ token: [200] });
    },
  },
  {
    name: "the relay's acknowledgement was cut off after the relay saw it: the same set, and it is acknowledged again",
    service: { relay: true },
    async reach(journey) {
      await journey.consent();
      journey.tokens = await journey.fetches();
      const stop = journey.service.stop("acknowledge", "after");
      await journey.tab.begin("acknowledge", "acknowledgeTokens");
      await stop.reached();
    },
    check: (journey) => findsTheSameSet(journey, [204, 204]),
  },
];

async function findsTheSameSet(journey, acknowledge = []) {
  await journey.resumes();
  assert.ok(same(await journey.fetches(), journey.tokens), "The next page has another set.");
  await journey.settles(journey.tokens);
  journey.counted({ token: [200], acknowledge });
}

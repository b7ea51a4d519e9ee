// Connecting in one call, and step by step.
import { connected, error, failed, never } from "./case.js";

const TOKENS = { ereceipt: true, account: { id: "a-1", name: "Bakery" }, store: { id: "s-1", name: "Main" } };
const failing = (code, retryable, operation = "connect") => ({
  name: `connect: ${code}`,
  script: { connect: code },
  run: ({ pos }) => failed(pos.connect()),
  gives: error(code, operation, retryable),
});

export const connecting = [
  {
    name: "connect: finished",
    script: { connect: TOKENS },
    async run({ pos }) {
      const before = await pos.connection();
      const { ereceipt, account, store, faults } = await pos.connect();
      const after = await pos.connection();
      return { before, ereceipt, account, store, faults, after: [after.ereceipt, after.store.name] };
    },
    gives: { before: null, ...TOKENS, faults: [], after: [true, "Main"] },
  },
  failing("cancelled", false),
  failing("closed", false),
  failing("network", true, "createIntegration"),
  failing("rate_limited", true, "createIntegration"),
  failing("invalid_client", false, "createIntegration"),
  {
    name: "connect: the last status of one that is finished, and of one that is cancelled",
    script: { connect: ["finished", "cancelled"] },
    async run({ pos }) {
      const heard = [];
      for (const call of [0, 1]) await failed(pos.connect({ onStatus: (status) => (heard[call] = status) }));
      return heard;
    },
    gives: ["finished", "cancelled"],
  },
  {
    name: "connect: the next call after a failure works",
    script: { connect: ["network", "finished"] },
    run: async ({ pos }) => [(await failed(pos.connect())).code, (await pos.connect()).ereceipt],
    gives: ["network", true],
  },
  {
    name: "connect: aborted before, and meanwhile",
    script: { connect: never() },
    async run({ pos }) {
      const stop = new AbortController();
      const waiting = failed(pos.connect({ signal: stop.signal }));
      stop.abort(new Error("route"));
      return [await waiting, await failed(pos.connect({ signal: stop.signal }))];
    },
    gives: [error("aborted", "connect", false, "route"), error("aborted", "connect", false, "route")],
  },
  {
    name: "connect: a second call joins the first",
    script: { connect: ["finished", "cancelled"] },
    run: async ({ pos }) => (await Promise.all([pos.connect(), pos.connect()])).map(({ ereceipt }) => ereceipt),
    gives: [true, true],
  },
  {
    name: "destroy ends what runs, and what comes after",
    script: { connect: never() },
    async run({ pos }) {
      const waiting = failed(pos.connect());
      await pos.connection();
      pos.destroy();
      return [await waiting, await failed(pos.connect())];
    },
    gives: [error("destroyed", "connect"), error("destroyed", "connect")],
  },
  {
    name: "connect: a relay keeps the tokens",
    script: { isRelay: true, connect: TOKENS },
    async run({ pos }) {
      const { held, store } = await pos.connect();
      return [held, store, (await pos.connection()).store];
    },
    gives: [true, TOKENS.store, TOKENS.store],
  },
];

export const steps = [
  {
    name: "createIntegration: wait, and pick the tokens up",
    async run({ pos }) {
      const integration = await pos.createIntegration();
      const statuses = [];
      const end = await integration.waitUntilDone({ onStatus: (status) => statuses.push(status) });
      const { ereceipt } = await integration.fetchTokens();
      const late = await failed(integration.cancel());
      return [typeof integration.integrationToken, statuses.at(-1), end, ereceipt, late];
    },
    gives: ["string", "finished", "finished", true, error("already_finished", "cancel")],
  },
  {
    name: "createIntegration: cancelled by the merchant",
    script: { connect: "cancelled" },
    async run({ pos }) {
      const integration = await pos.createIntegration();
      return [await integration.waitUntilDone(), await failed(integration.fetchTokens())];
    },
    gives: ["cancelled", error("integration_cancelled", "fetchTokens")],
  },
  {
    name: "createIntegration: no tokens while it is pending",
    script: { connect: never() },
    async run({ pos }) {
      const integration = await pos.createIntegration();
      return [await integration.status(), await failed(integration.fetchTokens())];
    },
    gives: ["pending", error("not_finished", "fetchTokens", true)],
  },
  {
    name: "disconnect: there is no connection any more, and its own page is not told",
    script: connected(),
    async run({ pos, heard }) {
      await pos.disconnect();
      return [await pos.connection(), heard];
    },
    gives: [null, []],
  },
  {
    name: "resume: an earlier page has left nothing",
    run: ({ pos }) => pos.resume(),
    gives: null,
  },
];

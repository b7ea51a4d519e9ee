// Another tab of the storm's till: a realm of its own, on the same storage, the same locks, and the same service.
import { advance, turn } from "./clock.js";

const { service, ledger, book, storeId, options, thrown, roll, ready } = parent.storm;

// Before the package keeps it. Its response must be of this realm.
const { fetch } = window;
window.fetch = async (input, init) => {
  if (!String(input).startsWith(service.origin)) return fetch(input, init);
  const answer = await service.fetch(new Request(input, init));
  if (!answer) return answer;
  const { status, headers } = answer;
  return new Response(status === 204 ? null : await answer.text(), { status, headers: Object.fromEntries(headers) });
};
addEventListener("error", (event) => ledger.uncaught(event.error ?? event.message));
addEventListener("unhandledrejection", (event) => ledger.uncaught(event.reason));

/** Promises of this tab end with it. */
const expect = (name, promise) => ledger.expect(name, promise, undefined, window).catch(() => {});

let client;
let integration;

const held = (run) => async () => {
  integration ??= await client.resume().catch(() => null);
  if (integration) expect("a tab's call", run(integration));
};

const ACTS = {
  connect: () => expect("a tab's connect", client.connect()),
  resume: async () => (integration = await client.resume().catch(() => null)),
  createIntegration: async () => (integration = await client.createIntegration().catch(() => null)),
  waitUntilDone: held((integration) => integration.waitUntilDone()),
  fetchTokens: held((integration) => integration.fetchTokens()),
  acknowledgeTokens: held((integration) => integration.acknowledgeTokens()),
  cancel: held((integration) => integration.cancel()),
  connection: () => expect("a tab's connection", client.connection()),
  forget: () => book.forgetting(expect("a tab's forget", client.forget())),
  sendOrder: () =>
    book.send(client, undefined, (_, promise) => ledger.expect("a tab's orders.send", promise, undefined, window)),
  outbox: () => expect("a tab's orders.list", client.orders.list()),
  receiptFor: () => expect("a tab's receiptFor", client.receiptFor({ orderId: "1", region: "IL" })),
};

/** Begins one of them; what it waits for goes on while the storm does. */
function act(roll) {
  ACTS[roll.one(Object.keys(ACTS))]();
}

async function open() {
  const { PosConnect } = await import("/node_modules/pos-connect/index.js");
  const { chance } = roll();
  const persist = () => {
    if (chance(0.3)) throw thrown();
  };
  const persistTokens = chance(0.5) ? persist : undefined;
  client = await PosConnect.create({ ...options, storeId, persistTokens });
  window.tab = { act, advance, turn };
}

open()
  .catch((error) => ledger.fail(`the other tab: ${error?.stack ?? error}`))
  .finally(() => ready(window));

// Orders, the outbox, and the other calls for a connected merchant.
import { connected, error, failed, MESSAGE, ORDER, shown } from "./case.js";

const waiting = async (pos) =>
  (await pos.orders.list()).map(({ state, tries, hasEreceipt, order, error: why }) => [
    state,
    tries,
    hasEreceipt,
    order.total,
    why?.code,
  ]);
const sent = (name, order, orders, options, gives, more) => ({
  name: `orders.send: ${name}`,
  script: connected({ orders }),
  async run({ pos, heard }) {
    const result = shown(await pos.orders.send(order, options));
    return [result, await waiting(pos), heard];
  },
  gives: [{ externalId: "1041", ...gives }, ...more],
});

export const orders = [
  sent("accepted", ORDER, "accepted", {}, { state: "accepted", print: true }, [[], ["queued", "accepted"]]),
  sent("accepted with an e-receipt", MESSAGE, "accepted", {}, { state: "accepted", print: false, ereceipt: "queued" }, [
    [],
    ["queued", "accepted"],
  ]),
  sent("offline", MESSAGE, "network", {}, { state: "queued", print: true, error: "network" }, [
    [["queued", 1, true, 1190, "network"]],
    ["queued", "postponed"],
  ]),
  sent(
    "offline, and the message is trusted",
    MESSAGE,
    "network",
    { printIfQueued: false },
    { state: "queued", print: false, error: "network" },
    [[["queued", 1, true, 1190, "network"]], ["queued", "postponed"]],
  ),
  sent(
    "the message fails",
    MESSAGE,
    { ereceipt: "failed" },
    {},
    { state: "accepted", print: true, ereceipt: "failed" },
    [[], ["queued", "accepted"]],
  ),
  sent(
    "without an e-receipt that is refused",
    MESSAGE,
    ["too_many_messages", "accepted"],
    {},
    { state: "accepted", print: true, ereceipt: "refused", error: "too_many_messages" },
    [[], ["queued", "accepted"]],
  ),
  sent(
    "the shopper wanted nothing",
    ORDER,
    "accepted",
    { receipt: { kind: "none", print: false, orderId: "1041", reason: "chosen", elapsedMs: 1 } },
    { state: "accepted", print: false },
    [[], ["queued", "accepted"]],
  ),
  {
    name: "orders.send: what waits for a connection goes with it",
    isInPage: true,
    script: {},
    async run({ pos, heard, until }) {
      const { state, error: why } = await pos.orders.send(ORDER);
      await pos.connect();
      await until(() => heard.at(-1) === "accepted");
      return [state, why?.code, await waiting(pos), heard];
    },
    gives: ["queued", "not_connected", [], ["queued", "postponed", "accepted"]],
  },
  {
    name: "orders.send: refused, tried again, corrected",
    script: connected({ orders: ["invalid_body", "too_large", "accepted"] }),
    async run({ pos, heard, until }) {
      const why = [await failed(pos.orders.send(ORDER)), await waiting(pos)];
      const [{ id }] = await pos.orders.list();
      const isRetried = await pos.orders.retry(id);
      await until(() => heard.filter((state) => state === "refused").length === 2);
      const isCorrected = await pos.orders.retry(id, { order: { ...ORDER, total: 1200 } });
      await until(() => heard.at(-1) === "accepted");
      return [...why, isRetried, isCorrected, await waiting(pos), heard];
    },
    gives: [
      error("invalid_body", "orders.send"),
      [["refused", 1, false, 1190, "invalid_body"]],
      true,
      true,
      [],
      ["queued", "refused", "queued", "refused", "queued", "accepted"],
    ],
  },
  {
    name: "orders.discard: gives an order up; an unknown one is none",
    script: connected({ orders: "order_exists" }),
    async run({ pos, heard }) {
      const why = await failed(pos.orders.send(ORDER));
      const [{ id }] = await pos.orders.list();
      const results = [await pos.orders.discard(id), await pos.orders.discard(id), await pos.orders.retry(id)];
      return [why.code, results, await waiting(pos), heard];
    },
    gives: ["order_exists", [true, false, false], [], ["queued", "refused", "discarded"]],
  },
  {
    name: "orders.retry: one that waits is sent now, and not in another content",
    script: connected({ orders: ["network", "accepted"] }),
    async run({ pos, heard, until }) {
      await pos.orders.send(ORDER);
      const [{ id }] = await pos.orders.list();
      const why = await failed(pos.orders.retry(id, { order: ORDER }));
      await pos.orders.retry(id);
      await until(() => heard.at(-1) === "accepted");
      return [why.code, heard];
    },
    gives: ["invalid_option", ["queued", "postponed", "accepted"]],
  },
  {
    name: "orders.get: an order that the service has, and one that it has not",
    script: connected(),
    async run({ pos }) {
      await pos.orders.send(ORDER);
      const { order, receivedAt } = await pos.orders.get("1041");
      return [order, receivedAt instanceof Date, await pos.orders.get("1042")];
    },
    gives: [ORDER, true, null],
  },
  {
    name: "orders.send: another order of the same ID",
    script: connected(),
    async run({ pos }) {
      await pos.orders.send(ORDER);
      return failed(pos.orders.send({ ...ORDER, total: 7 }));
    },
    gives: error("order_exists", "orders.send"),
  },
  {
    name: "orders.send: the second try, while the call waits",
    script: connected({ orders: ["server_error", "accepted"] }),
    async run({ pos }) {
      // The call waits for 3 s, of which a busy machine may take two.
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (call, ms, ...more) => setTimeout(call, ms === 3_000 ? 60_000 : ms, ...more);
      const sent = pos.orders.send(ORDER);
      return shown(await sent.finally(() => (globalThis.setTimeout = setTimeout)));
    },
    gives: { state: "accepted", externalId: "1041", print: true },
    lacks: "a time that goes on by itself: each call ends with its first try",
  },
  {
    name: "orders.send: what is wrong with an order is named",
    script: connected(),
    run: async ({ pos }) => (await failed(pos.orders.send({ ...ORDER, total: 11.9 }))).code,
    gives: "invalid_option",
    lacks: "the checks of options and orders, which are WebAssembly; the types find most of it",
  },
  {
    name: "forget: erases the connection and what waits",
    script: connected({ orders: "network" }),
    async run({ pos, heard }) {
      await pos.orders.send(ORDER);
      await pos.forget();
      return [await pos.connection(), await waiting(pos), heard];
    },
    gives: [null, [], ["queued", "postponed", "discarded"]],
  },
];

export const merchant = [
  {
    name: "store: the profile, before and after a patch",
    script: connected(),
    async run({ pos }) {
      const { profile } = await pos.store.update({ name: "Market Street", website: "https://bakery.example" });
      return [profile, (await pos.store.get()).profile];
    },
    gives: [
      { name: "Market Street", website: "https://bakery.example" },
      { name: "Market Street", website: "https://bakery.example" },
    ],
  },
  {
    name: "customers.send: a result for each",
    script: connected(),
    run: ({ pos }) => pos.customers.send([{ externalId: "c-7", name: "Dana" }, { externalId: "c-8" }]),
    gives: [
      { externalId: "c-7", result: "created" },
      { externalId: "c-8", result: "created" },
    ],
  },
];

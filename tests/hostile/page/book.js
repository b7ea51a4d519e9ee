// The orders of a storm, and what must hold of them: what was kept arrives, and nothing arrives twice.
import { advance, pause } from "./clock.js";

function bodyOf(externalId) {
  const line = { name: "Bread", quantity: 1, amount: 5 };
  return { externalId, time: "2026-11-23T10:30:00Z", currency: "ILS", total: 5, lines: [line] };
}

export class Book {
  /**
   * By external id: whether a till was told that it is kept, whether a till may have given it up since, how often it
   * was printed, and whether the storage failed meanwhile, which may cost a second print.
   */
  #orders = new Map();
  #isStorageFailing = false;
  #ledger;
  #service;
  #number = 0;
  #corrected = new Set();

  constructor(ledger, service) {
    this.#ledger = ledger;
    this.#service = service;
  }

  #begin() {
    this.#number += 1;
    const externalId = `order-${this.#number}`;
    const order = { isKept: false, mayBeGone: false, prints: 0, isDoubtful: this.#isStorageFailing };
    this.#orders.set(externalId, order);
    return { externalId, order };
  }

  /** Sells another order; what becomes of it is written down. */
  charge(client, options) {
    const { externalId, order } = this.#begin();
    const print = () => this.printed(externalId);
    const selling = this.#ledger.expect("charge", client.charge(bodyOf(externalId), { ...options, print }));
    selling.then(
      () => (order.isKept = true),
      () => {},
    );
  }

  /** By the page that sold it, or by one that found the sale. */
  printed(externalId) {
    const order = this.#orders.get(externalId);
    order.prints += 1;
    if (order.prints > 1 && !order.isDoubtful) this.#ledger.fail(`${externalId} was printed twice`);
  }

  /** The storage, or its locks, fail from now on. */
  storageFails() {
    this.#isStorageFailing = true;
    for (const order of this.#orders.values()) order.isDoubtful = true;
  }

  storageIsWell() {
    this.#isStorageFailing = false;
  }

  /** Sends another order; what becomes of it is written down. */
  send(client, options) {
    const { externalId, order } = this.#begin();
    const sending = this.#ledger.expect("orders.send", client.orders.send(bodyOf(externalId), options));
    sending.then(
      ({ state, print }) => {
        order.isKept = true;
        if (state !== "accepted" && state !== "queued") this.#ledger.fail(`an order was ${state}`);
        if (print !== true) this.#ledger.fail("nobody asked for an e-receipt, and nothing is printed");
      },
      () => {},
    );
  }

  /** Another content for an order that was refused: another call, under another key. */
  corrected(externalId) {
    this.#corrected.add(externalId);
    return { ...bodyOf(externalId), total: 6 };
  }

  /** A till gives up what waits, or a service that is none says that it has it. */
  mayBeGone(externalId) {
    const order = this.#orders.get(externalId);
    if (order) order.mayBeGone = true;
  }

  /** The same of all that have not arrived yet: `forget` erases them. */
  async forgetting(promise) {
    this.#allMayBeGone();
    await promise.catch(() => {});
    this.#allMayBeGone();
  }

  #allMayBeGone() {
    for (const [id, order] of this.#orders) if (!this.#service.orders.has(id)) order.mayBeGone = true;
  }

  /** When all is well again: `client` sends what is left. */
  async check(client) {
    const waits = async () => (await client.orders.list()).filter(({ state }) => state === "queued").length;
    for (let rounds = 0; rounds < 400 && (await waits()) > 0; rounds += 1) {
      // The wall clock does not move here, and tells how long an order has to rest.
      dispatchEvent(new Event("online"));
      await advance(5_000);
      await pause(5);
    }
    const left = await waits();
    if (left > 0) this.#ledger.fail(`${left} orders are queued for ever`);
    for (const { state, error } of await client.orders.list())
      if (state === "refused") this.#ledger.fail(`an order was refused: ${error?.code}`);
    for (const [id, { isKept, mayBeGone }] of this.#orders)
      if (isKept && !mayBeGone && !this.#service.orders.has(id)) this.#ledger.fail(`${id} is lost`);
    this.#checkKeys();
    this.#ledger.did["orders that arrived"] = this.#service.orders.size;
  }

  /** Each order came under one key, however often. */
  #checkKeys() {
    const keys = new Map();
    for (const { operation, headers, body } of this.#service.requests) {
      if (operation !== "order") continue;
      const { externalId } = JSON.parse(body);
      if (this.#corrected.has(externalId)) continue;
      const key = headers["idempotency-key"];
      if ((keys.get(externalId) ?? key) !== key) this.#ledger.fail(`${externalId} was sent under two keys`);
      keys.set(externalId, key);
    }
  }
}

// The orders of the fake: what waits, what was refused, what the service has.
import { posConnectError } from "./error.js";

/** Milliseconds after which a call resolves as "queued". */
const PATIENCE_MS = 3000;
const LONGEST_REST_MS = 60_000;
/** The errors after which the order stays, refused. */
const REFUSING = ["invalid_body", "too_large", "order_exists", "idempotency_key_reused"];
/** The errors after which the order is taken without its e-receipt. */
const WITHOUT_ERECEIPT = ["ereceipt_not_enabled", "too_many_messages", "unknown_sealing_key"];

/** An order as it is kept: dates are texts, and nobody reads where the receipt goes. */
const kept = ({ ereceipt, ...order }) => JSON.parse(JSON.stringify(order));

export class Outbox {
  static kept = kept;
  #client;
  #orders = [];
  /** What the service has, by `externalId`. */
  #accepted = new Map();
  #count = 0;
  #isAsked = false;
  #sender;

  /** @param client `now()`, `after(ms, run)`, `outcome()` of the next try, `tell(change)`, `ended()` */
  constructor(client) {
    this.#client = client;
  }

  /** Keeps an order and tries to send it: `SentOrder`, or a rejection. */
  async send(order, { receipt, printIfQueued = true, signal }, operation) {
    const ereceipt = order.ereceipt ?? (receipt?.phone || receipt?.linkHash ? receipt : undefined);
    const entry = {
      id: String((this.#count += 1)),
      state: "queued",
      externalId: order.externalId,
      order: kept(order),
      hasEreceipt: ereceipt !== undefined,
      isLink: ereceipt?.linkHash !== undefined,
      queuedAt: new Date(this.#client.now()),
      nextTry: null,
      tries: 0,
    };
    this.#orders.push(entry);
    this.#tell("queued", entry);
    const isNothing = receipt?.kind === "none";
    const change = await this.#settled(entry, signal);
    const { state, error } = change;
    if (state === "refused" || state === "discarded") throw posConnectError(error?.code ?? "aborted", { operation });
    const isAccepted = state === "accepted";
    const isSent = isAccepted ? ["queued", "sent"].includes(change.ereceipt) : !printIfQueued;
    const print = entry.hasEreceipt ? !isSent : !isNothing;
    return { ...change, state: isAccepted ? "accepted" : "queued", print };
  }

  /** What became of an order, or of waiting for it. */
  #settled(entry, signal) {
    return new Promise((resolve) => {
      entry.settle = resolve;
      const give = () => resolve(this.#change("queued", entry));
      signal?.addEventListener("abort", give, { once: true });
      this.#client.after(PATIENCE_MS, give);
      this.sendWaiting();
    });
  }

  list() {
    const told = ({ settle, isLink, ...entry }) => ({ ...entry, persisted: false });
    return [...this.#of("queued"), ...this.#of("refused")].map(told);
  }

  accepted(externalId) {
    return this.#accepted.get(externalId) ?? null;
  }

  async retry(id, order) {
    const entry = this.#orders.find((one) => one.id === id);
    if (!entry) return false;
    if (order && entry.state !== "refused") {
      const message = "order: only a refused order can be corrected";
      throw posConnectError("invalid_option", { message, operation: "orders.retry" });
    }
    if (order) Object.assign(entry, { order: kept(order), externalId: order.externalId });
    if (entry.state === "refused") {
      entry.state = "queued";
      delete entry.error;
      this.#tell("queued", entry);
    }
    this.sendWaiting();
    return true;
  }

  async discard(id) {
    const entry = this.#orders.find((one) => one.id === id);
    if (entry) this.#leave(entry, "discarded");
    return entry !== undefined;
  }

  clear() {
    for (const entry of [...this.#orders]) this.#leave(entry, "discarded");
  }

  #of(state) {
    return this.#orders.filter((entry) => entry.state === state);
  }

  #change(state, { id, externalId, error }, more) {
    return { state, id, externalId, ...(error && { error }), ...more };
  }

  #tell(state, entry, more) {
    const change = this.#change(state, entry, more);
    this.#client.tell(change);
    return change;
  }

  #leave(entry, state, more) {
    this.#orders.splice(this.#orders.indexOf(entry), 1);
    if (state === "discarded") delete entry.error;
    entry.settle?.(this.#tell(state, entry, more));
  }

  /** Sends what waits, one after the other, once more if it was asked for meanwhile. */
  sendWaiting() {
    this.#isAsked = true;
    this.#sender ??= this.#rounds().finally(() => (this.#sender = undefined));
    return this.#sender;
  }

  async #rounds() {
    while (this.#isAsked) {
      this.#isAsked = false;
      for (const entry of this.#of("queued")) {
        if (!this.#orders.includes(entry)) continue;
        if (await this.#isPostponed(entry)) break;
      }
    }
  }

  /** One try. Whether the others have to wait, too. */
  async #isPostponed(entry) {
    const outcome = (await this.#client.outcome()) ?? "accepted";
    if (!this.#orders.includes(entry)) return false;
    const before = this.#accepted.get(entry.externalId);
    const isOther = before && JSON.stringify(before.order) !== JSON.stringify(entry.order);
    const code = isOther ? "order_exists" : outcome;
    const isAccepted = code === "accepted" || typeof code === "object";
    if (isAccepted) return this.#accept(entry, code.ereceipt ?? (entry.isLink ? "sent" : "queued"));
    entry.error = posConnectError(code, { operation: "orders.send" });
    entry.tries += 1;
    if (entry.hasEreceipt && WITHOUT_ERECEIPT.includes(code)) return this.#accept(entry, "refused");
    if (REFUSING.includes(code)) {
      entry.state = "refused";
      entry.nextTry = null;
      entry.settle?.(this.#tell("refused", entry));
      return false;
    }
    const rest = Math.min(1000 * 2 ** (entry.tries - 1), LONGEST_REST_MS);
    entry.nextTry = new Date(this.#client.now() + rest);
    this.#client.after(rest, () => this.sendWaiting());
    if (code === "connection_ended") this.#client.ended();
    const change = this.#tell("postponed", entry);
    for (const waiting of this.#of("queued")) waiting.settle?.(this.#change("queued", waiting));
    return change !== undefined;
  }

  #accept(entry, state) {
    const receivedAt = new Date(this.#client.now());
    const ereceipt = entry.hasEreceipt ? { ereceipt: state } : {};
    this.#accepted.set(entry.externalId, { order: entry.order, receivedAt, ...ereceipt });
    if (state !== "refused") delete entry.error;
    this.#leave(entry, "accepted", { receivedAt, ...ereceipt });
    return false;
  }
}

// The client without a network, WebAssembly and a browser, for the tests of a till: a script says what becomes of each
// call. `tests/package/behavior.js` holds it to the real one.
import { posConnectError, PosConnectError } from "./error.js";
import { known } from "../options.js";
import { addState } from "../state.js";
import { connected, Merchant } from "./merchant.js";
import { Outbox } from "./outbox.js";
import { Script } from "./script.js";

export { connectPage, keypad } from "./playwright.js";
export { fakeService } from "./service.js";
export { posConnectError, PosConnectError };
export const version = VERSION;

/** The ends of `connect()` after an integration was created; other codes end it before. */
const IN_CONNECT = ["closed", "cancelled", "wait_timeout", "csp_blocked"];
const CALLBACKS = ["persistTokens", "onOutbox", "onConnected", "onConnectionEnded"];
const OPTIONS = ["connect", "receipts", "orders", "connection", "clock", "ereceipt", ...CALLBACKS];
const CONSENT = "Your number is used for this receipt only.";

/** What a page may import beside the client needs the WebAssembly: it does nothing, or says so. */
export const init = async () => {};
export const defineKeypad = async () => absent("unsupported_browser", "defineKeypad");
export const parsePhone = () => absent("not_initialized", "parsePhone");
export const formatPhoneAsYouType = () => absent("not_initialized", "formatPhoneAsYouType");
export const phoneMetadataVersion = () => absent("not_initialized", "phoneMetadataVersion");

function absent(code, operation) {
  throw posConnectError(code, { operation, message: "The fake of pos-connect/testing cannot do this." });
}

// Constructing one by hand is refused, as the real class refuses it.
const KEY = {};
let newest;

export function fakePosConnect(options = {}) {
  known("fakePosConnect", options, OPTIONS);
  newest = new PosConnect(KEY, options);
  return newest;
}

/** Calls a function of the page's; what it throws is reported. */
function tell(listener, value) {
  try {
    listener?.(value);
  } catch (error) {
    console.error("pos-connect/testing: a callback threw", error);
  }
}

export class PosConnect {
  #options;
  #script = new Script();
  #now;
  #timers = [];
  #isDestroyed = false;
  #destroyers = new Set();
  #connection;
  #connecting;
  #endAsk;
  #charges = new Map();
  #outbox;
  #merchant = new Merchant();
  #changed = () => {};
  #integrations = 0;
  #asks = 0;

  constructor(key, options = {}) {
    if (key !== KEY) throw new TypeError("Use await PosConnect.create(options).");
    this.#options = options;
    this.#now = Number(options.clock ?? Date.now());
    this.#connection = options.connection ? connected(options.connection) : null;
    this.#script.set(options);
    this.#outbox = new Outbox({
      now: () => this.#now,
      after: (ms, run) => this.#timers.push({ at: this.#now + ms, run }),
      outcome: () => (this.#connection ? this.#script.next("orders") : "not_connected"),
      tell: (change) => {
        this.#changed(false);
        tell(this.#options.onOutbox, change);
      },
      ended: () => this.#end(),
    });
    this.#addGroups();
    this.fake = this.#controls();
    addState(this);
  }

  observe(changed) {
    this.#changed = changed;
  }

  static async create(options) {
    if (!newest || newest.#isDestroyed) fakePosConnect();
    newest.#options = { ...newest.#options, ...options };
    newest.fake.calls.push({ operation: "create", arguments: [options] });
    return newest;
  }

  #controls() {
    const client = this;
    return {
      calls: [],
      get now() {
        return new Date(client.#now);
      },
      script: (script) => this.#script.set(script),
      advance: (ms) => this.#advance(ms),
      endConnection: () => this.#end(),
      connectElsewhere: (connection = {}) => {
        this.#connection = connected(connection);
        this.#outbox.sendWaiting();
        this.#changed(true);
        tell(this.#options.onConnected, this.#connection);
      },
    };
  }

  /** Runs what falls due, in the order of time. */
  async #advance(ms) {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.#now = Math.max(this.#now, due.at);
      await due.run();
    }
    this.#now = end;
  }

  #end() {
    if (!this.#connection) return;
    this.#connection = null;
    this.#changed(true);
    tell(this.#options.onConnectionEnded);
  }

  /** One call: noted, and ended by `destroy()` and by its signal. */
  #call(operation, given, signal, work) {
    this.fake.calls.push({ operation, arguments: given });
    if (this.#isDestroyed) return Promise.reject(posConnectError("destroyed", { operation }));
    return new Promise((resolve, reject) => {
      const destroyed = () => reject(posConnectError("destroyed", { operation }));
      const aborted = () => reject(posConnectError("aborted", { operation, cause: signal.reason }));
      if (signal?.aborted) return aborted();
      this.#destroyers.add(destroyed);
      signal?.addEventListener("abort", aborted);
      const done = () => {
        this.#destroyers.delete(destroyed);
        signal?.removeEventListener("abort", aborted);
      };
      Promise.resolve().then(work).finally(done).then(resolve, reject);
    });
  }

  connect(options = {}) {
    return this.#call("connect", [options], options?.signal, () => {
      tell(options?.onStatus, "pending");
      // The next call goes on with what a call has left that was aborted.
      this.#connecting ??= this.#decided().finally(() => (this.#connecting = undefined));
      return this.#connecting.then(
        (tokens) => (tell(options?.onStatus, "finished"), tokens),
        (error) => {
          if (error.code === "cancelled") tell(options?.onStatus, "cancelled");
          throw error;
        },
      );
    });
  }

  /** The tokens of the next integration, or why there are none. */
  async #decided() {
    const outcome = (await this.#script.next("connect")) ?? "finished";
    if (typeof outcome === "string" && outcome !== "finished")
      throw posConnectError(outcome, { operation: IN_CONNECT.includes(outcome) ? "connect" : "createIntegration" });
    const given = outcome === "finished" ? {} : outcome;
    this.#connection = connected(given);
    this.#outbox.sendWaiting();
    const secrets = "accessToken" in given ? { held: false, refreshToken: "", ...given } : { held: true };
    const tokens = { ...this.#connection, faults: [], ...secrets };
    if (!tokens.held) tell(this.#options.persistTokens, tokens);
    return tokens;
  }

  createIntegration(options = {}) {
    return this.#call("createIntegration", [options], options?.signal, () => this.#integration());
  }

  #integration() {
    let status = "pending";
    const decided = this.#decided().then(
      (tokens) => ((status = "finished"), tokens),
      (error) => {
        if (error.code === "cancelled") status = "cancelled";
        throw error;
      },
    );
    decided.catch(() => {});
    const call = (operation, options, work) => this.#call(operation, [options], options?.signal, work);
    const isCancelled = (error) => {
      if (error.code === "cancelled") return "cancelled";
      throw error;
    };
    return {
      integrationToken: `fake-integration-${(this.#integrations += 1)}`,
      code: "1234",
      mountFrame: () => absent("unsupported_browser", "mountFrame"),
      status: (options) => call("status", options, () => status),
      waitUntilDone: (options) =>
        call("waitUntilDone", options, async () => {
          tell(options?.onStatus, "pending");
          const end = await decided.then(() => "finished", isCancelled);
          tell(options?.onStatus, end);
          return end;
        }),
      fetchTokens: (options) =>
        call("fetchTokens", options, () => {
          const code = { pending: "not_finished", cancelled: "integration_cancelled" }[status];
          if (code) throw posConnectError(code, { operation: "fetchTokens" });
          return decided;
        }),
      acknowledgeTokens: (options) => call("acknowledgeTokens", options, () => undefined),
      cancel: (options) =>
        call("cancel", options, () => {
          if (status === "finished") throw posConnectError("already_finished", { operation: "cancel" });
          status = "cancelled";
        }),
      destroy: () => {},
    };
  }

  resume(options = {}) {
    return this.#call("resume", [options], options?.signal, () => null);
  }

  connection() {
    return this.#call("connection", [], undefined, () => this.#connection);
  }

  disconnect(options = {}) {
    return this.#call("disconnect", [options], options?.signal, () => void (this.#connection = null));
  }

  forget() {
    return this.#call("forget", [], undefined, () => {
      this.#outbox.clear();
      this.#connection = null;
    });
  }

  receiptFor(options) {
    // `destroy()` is an outcome of it, and no rejection.
    this.fake.calls.push({ operation: "receiptFor", arguments: [options] });
    if (this.#isDestroyed) return Promise.resolve(this.#receipt(options, this.#now, { reason: "aborted" }));
    return this.#ask(options);
  }

  async #ask(options) {
    const began = this.#now;
    this.#endAsk?.({ reason: "replaced" });
    const ended = new Promise((resolve) => (this.#endAsk = resolve));
    const { signal } = options;
    const abort = () => this.#endAsk({ reason: "aborted", cause: signal.reason });
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const end = await Promise.race([ended, this.#choice(options)]);
    signal?.removeEventListener("abort", abort);
    return this.#receipt(options, began, end);
  }

  /** What the shopper chooses, and what the page makes of it: a reason to print, "none", or a number. */
  async #choice(options) {
    const { ereceipt = this.#options.ereceipt ?? this.#connection?.ereceipt ?? false, onSend, onScan } = options;
    try {
      if ((typeof ereceipt === "function" ? await ereceipt() : ereceipt) !== true) return { reason: "not_enabled" };
    } catch (cause) {
      return { reason: "not_enabled", cause };
    }
    const outcome = (await this.#script.next("receipts")) ?? "chosen";
    const isCode = outcome === "qr";
    if (!isCode && !outcome.startsWith("+")) return { reason: outcome };
    const receipt = isCode ? this.#code(options) : this.#number(outcome, options);
    try {
      const idempotencyKey = `fake-idempotency-${(this.#asks += 1)}`;
      await (isCode ? onScan : onSend)?.(receipt, { signal: new AbortController().signal, idempotencyKey, attempt: 1 });
      return { receipt };
    } catch (cause) {
      return { reason: "send_failed", cause };
    }
  }

  #code({ orderId, labels, locale = "en" }) {
    return { kind: "qr", orderId, linkHash: "A".repeat(43), locale: labels?.lang ?? locale };
  }

  #number(phone, { orderId, region, consentId = "ereceipt-1", labels, locale = "en" }) {
    const language = labels?.lang ?? locale;
    const consent = { id: consentId, locale: language, text: labels?.consent ?? CONSENT, at: new Date(this.#now) };
    return { orderId, phone, national: phone, region, kind: "mobile", consent, metadataVersion: "fake" };
  }

  #receipt({ orderId, noAnswer, labels, locale: language = "en" }, began, { reason, cause, receipt }) {
    const elapsedMs = this.#now - began;
    if (receipt?.kind === "qr") return { ...receipt, print: false, elapsedMs };
    if (receipt) {
      const { kind: phoneKind, ...rest } = receipt;
      return { kind: "ereceipt", print: false, phoneKind, elapsedMs, ...rest };
    }
    const isNone = reason === "none" || (reason === "timeout" && noAnswer === "none");
    const rest = { orderId, locale: labels?.lang ?? language, elapsedMs };
    if (isNone) return { kind: "none", print: false, reason: reason === "none" ? "chosen" : reason, ...rest };
    return { kind: "print", print: true, reason, ...(cause !== undefined && { cause }), ...rest };
  }

  charge(order, options) {
    const body = JSON.stringify(order);
    const running = this.#charges.get(body);
    if (running) return running;
    const charge = this.#call("charge", [order, options], undefined, () => this.#charge(order, options));
    this.#charges.set(body, charge);
    const done = () => this.#charges.delete(body);
    charge.then(done, done);
    return charge;
  }

  async #charge(order, options) {
    const { externalId } = order;
    const reasons = [];
    const print = (reason) => {
      if (reasons.push(reason) > 1) return;
      tell(options.print, { externalId, order: Outbox.kept(order), reason });
    };
    let sending;
    const onSend = async (receipt) => {
      sending = this.#outbox.send(order, { ...options, receipt }, "charge");
      const sent = await sending;
      if (sent.print && sent.state !== "queued") throw new Error("No e-receipt was accepted.");
    };
    const receipt = await this.#ask({ ...options, orderId: externalId, onSend, onScan: onSend });
    sending ??= this.#outbox.send(order, { ...options, receipt }, "charge");
    if (receipt.print) print(receipt.reason);
    const sent = await sending;
    if (!receipt.print && receipt.kind !== "none" && sent.print) print("queued");
    return { ...sent, print: reasons.length > 0, receipt };
  }

  #addGroups() {
    const call = (operation, given, signal, work) => this.#call(operation, given, signal, work);
    const queue = this.#outbox;
    this.orders = {
      // Aborting ends the wait, and takes nothing back.
      send: (order, options = {}) =>
        call("orders.send", [order, options], options.signal?.aborted ? options.signal : undefined, () =>
          queue.send(order, options, "orders.send"),
        ),
      get: (id, options = {}) => call("orders.get", [id, options], options.signal, () => queue.accepted(id)),
      list: () => call("orders.list", [], undefined, () => queue.list()),
      retry: (id, options = {}) => call("orders.retry", [id, options], undefined, () => queue.retry(id, options.order)),
      discard: (id) => call("orders.discard", [id], undefined, () => queue.discard(id)),
    };
    const merchant = this.#merchant;
    const profile = () => merchant.profile(this.#connection);
    this.store = {
      get: (options = {}) => call("store.get", [options], options.signal, profile),
      update: (patch, options = {}) =>
        call("store.update", [patch, options], options.signal, () => {
          merchant.update(patch);
          return profile();
        }),
    };
    this.customers = {
      send: (customers, options = {}) =>
        call("customers.send", [customers, options], options.signal, () => merchant.customers(customers)),
    };
  }

  destroy() {
    this.fake.calls.push({ operation: "destroy", arguments: [] });
    this.#isDestroyed = true;
    this.#endAsk?.({ reason: "aborted" });
    for (const end of this.#destroyers) end();
  }
}

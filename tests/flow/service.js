// The service of the specification, in the page: it stands in for `fetch`, so that the whole flow needs no server.
// Beside it, what Rust has no short word for.
//
// One file: wasm-bindgen's test server answers four requests at a time, and the SDK's own files are some of them.

const CLIENT = { client_id: "till", client_secret: "hunter2" };

const OPERATIONS = {
  "POST /v1/auth/integration": "create",
  "GET /v1/auth/integration": "status",
  "DELETE /v1/auth/integration": "cancel",
  "GET /v1/auth/integration/token": "token",
  "DELETE /v1/auth/integration/token": "acknowledge",
  "POST /v1/auth/integration/token/reissue": "reissue",
  "GET /v1/store": "profile",
  "PATCH /v1/store": "patch",
  "POST /v1/customers": "customers",
  "POST /v1/orders": "order",
  "POST /v1/auth/revoke": "revoke",
  "GET /connection": "connection",
  "DELETE /connection": "disconnect",
};

/** Those of a relay, whose proof is the till's key. */
const OPERATIONS_OF_RELAY = ["connection", "disconnect"];

/** Those after the connection, whose proof is the access token. */
const OPERATIONS_OF_MERCHANT = ["profile", "patch", "customers", "order", "look"];
export const ACCESS_TOKEN = "access-1";

const services = new Map();

const { fetch } = window;
window.fetch = (input, init) => {
  const service = services.get(new URL(input.url ?? input, location.href).origin);
  // A `Request` says what the browser would send, whichever way it was asked.
  return service ? service.fetch(new Request(input, init)) : fetch.call(window, input, init);
};

const problem = (status, code) => ({ status, body: { success: false, code } });

export class Service {
  origin = `https://service-${services.size + 1}.example`;
  requests = [];
  givenUp = 0;
  #extra;
  #orders;
  /** By token: its status, and by whom it was picked up. */
  #integrations = new Map();
  /** What the merchant has sent: orders by their external id, and the answers by their keys. */
  orders = new Map();
  #answers = new Map();
  #profile = { name: "Corner Bakery" };

  /**
   * @param extra members of the answers beside those of the specification, by operation
   * @param orders what becomes of the next calls, by operation; after these it answers as the specification says
   */
  constructor(extra, orders) {
    this.#extra = extra;
    this.#orders = orders;
    services.set(this.origin, this);
  }

  /** The merchant decides. */
  decide(status) {
    const pending = [...this.#integrations.values()].filter((integration) => integration.status === "pending");
    for (const integration of pending) integration.status = status;
  }

  /**
   * An order may have `status`, `headers`, `body`, `text` (an answer in place of its own: nothing is done), `change`
   * (members of its own answer), `delayMs`, and `fault`: "network" (the call never arrives), "lost" (its answer never
   * does), "cut" (half of it does), "hang" (until it is given up).
   */
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const isLook = request.method === "GET" && pathname.startsWith("/v1/orders/");
    const operation = isLook ? "look" : OPERATIONS[`${request.method} ${pathname}`];
    const query = Object.fromEntries(searchParams);
    const seen = { operation, ...(await described(request)), query, at: performance.now() };
    this.requests.push(seen);
    const order = this.#orders[operation]?.shift() ?? {};
    if (order.delayMs) await sleep(order.delayMs);
    if (order.fault === "network") throw new TypeError("Failed to fetch");
    if (order.fault === "hang") return this.#hang(request.signal);
    const isOrdered = ["status", "body", "text"].some((name) => name in order);
    const answer = isOrdered ? order : this.#answer(seen, pathname, searchParams);
    if (order.fault === "lost") throw new TypeError("Failed to fetch");
    const body = order.change ? { ...answer.body, ...order.change } : answer.body;
    return respond({ ...answer, body }, order.fault === "cut");
  }

  /** Until the page gives the call up, which is noted. */
  #hang(signal) {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        this.givenUp += 1;
        reject(new DOMException("The operation was aborted.", "AbortError"));
      });
    });
  }

  #answer(seen, pathname, query) {
    if (OPERATIONS_OF_RELAY.includes(seen.operation)) {
      if (seen.headers.authorization !== "Bearer till-key") return problem(401, "unauthorized");
      return this[seen.operation]();
    }
    if (seen.operation === "revoke") return { body: { success: true } };
    if (!OPERATIONS_OF_MERCHANT.includes(seen.operation)) return this.#perform(seen.operation, query);
    if (seen.headers.authorization !== `Bearer ${ACCESS_TOKEN}`) return problem(401, "invalid_token");
    const answer = this[seen.operation](seen.body && JSON.parse(seen.body), seen, pathname);
    return answer.status >= 400 ? answer : { body: { success: true, ...answer.body, ...this.#extra[seen.operation] } };
  }

  /** The same key gives the same answer; the same order is one order. */
  order(order, { headers, body }) {
    const key = headers["idempotency-key"];
    const before = this.#answers.get(key) ?? this.orders.get(order.externalId);
    if (before && before.body !== body) return problem(409, "order_exists");
    const answer = before ?? { body, answer: { order, receivedAt: "2026-11-23T08:30:00Z" } };
    if (order.ereceipt) answer.answer.ereceipt = "queued";
    this.#answers.set(key, answer);
    this.orders.set(order.externalId, answer);
    return { body: answer.answer };
  }

  connection() {
    const account = { id: "a-1", name: "Corner Bakery" };
    return { body: { success: true, ereceipt: true, expiration: "2031-05-06T07:08:09Z", account } };
  }

  disconnect() {
    return { status: 204 };
  }

  look(_, __, pathname) {
    const known = this.orders.get(decodeURIComponent(pathname.slice("/v1/orders/".length)));
    return known ? { body: known.answer } : problem(404, "order_not_found");
  }

  profile() {
    return { body: { store: { id: "s-1", name: "Market Street" }, profile: this.#profile } };
  }

  patch(patch) {
    Object.assign(this.#profile, patch);
    return this.profile();
  }

  customers({ customers }) {
    return { body: { results: customers.map(({ externalId }) => ({ externalId, result: "created" })) } };
  }

  #perform(operation, query) {
    if (!operation) return problem(404, "not_found");
    if (query.get("client_id") !== CLIENT.client_id) return problem(operation === "create" ? 400 : 403);
    if (query.get("client_secret") !== CLIENT.client_secret) return problem(403);
    const token = query.get("integration_token");
    const integration = this.#integrations.get(token);
    if (operation !== "create" && !integration) return problem(403);
    const answer = this[operation](token, integration, query.get("pickup_id"));
    if (answer.status >= 400) return answer;
    return { ...answer, body: { success: true, ...answer.body, ...this.#extra[operation] } };
  }

  create() {
    const integrationToken = `itk-${this.#integrations.size + 1}`;
    this.#integrations.set(integrationToken, { status: "pending", pickup: undefined });
    return { body: { integrationToken, interval: 1 } };
  }

  status(_, { status }) {
    return { body: { status } };
  }

  cancel(_, integration) {
    if (integration.status === "finished") return problem(409, "integration_finished");
    integration.status = "cancelled";
    return { status: 204 };
  }

  token(token, integration, pickup) {
    if (integration.status === "pending") return problem(409, "integration_pending");
    if (integration.status === "cancelled") return problem(409, "integration_cancelled");
    if (integration.pickup === undefined) {
      integration.pickup = pickup;
      return tokens(token, "");
    }
    const whose = pickup && { pickup: integration.pickup === pickup ? "yours" : "other" };
    return { status: 410, body: { success: false, ...whose } };
  }

  reissue(token, integration, pickup) {
    return integration.pickup === pickup ? tokens(token, "-reissued") : problem(403, "reissue_other_pickup");
  }

  acknowledge() {
    return { status: 200 };
  }
}

const tokens = (token, generation) => ({
  body: {
    accessToken: `access-${token}${generation}`,
    refreshToken: `refresh-${token}${generation}`,
    expiration: "2031-05-06T07:08:09Z",
    ereceipt: true,
  },
});

/** What of a request the specification asks for, and its privacy. */
async function described(request) {
  const { method, redirect, credentials, cache, referrerPolicy } = request;
  const { origin, pathname, hash } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  const body = await request.text();
  return { method, url: origin + pathname + hash, redirect, credentials, cache, referrerPolicy, headers, body };
}

function respond({ status = 200, headers, body, text = JSON.stringify(body ?? null) }, isCut) {
  if (status === 204) return new Response(null, { status, headers });
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(half),
    pull: (controller) => controller.error(new TypeError("network error")),
  });
  return new Response(isCut ? stream : text, { status, headers: { "content-type": "application/json", ...headers } });
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves as soon as `test` gives true. The limit is for what never comes: a busy machine takes its time. */
export async function eventually(test) {
  for (const end = performance.now() + 15_000; performance.now() < end; await sleep(20)) if (test()) return;
  throw new Error("it did not become true");
}

export const frames = () => [...document.querySelectorAll("iframe.pos-connect-frame")];

/**
 * A message as the connect page would send it. That page is of another origin, which an isolated page such as a test's
 * does not show; so the event is made here, with what a browser would put there.
 */
export function say(source, origin, type) {
  window.dispatchEvent(new MessageEvent("message", { source, origin, data: { posConnect: 1, type } }));
}

/** A `persistTokens` that does what `ways` say in turn, the last one for ever: "throw", "reject", "take". */
export function host(ways) {
  const list = ways.split(",");
  const calls = [];
  const persistTokens = (tokens) => {
    calls.push(tokens);
    const way = list[Math.min(calls.length, list.length) - 1];
    if (way === "throw") throw new Error("the back end is down");
    return way === "reject" ? Promise.reject(new Error("the back end is down")) : undefined;
  };
  return { persistTokens, calls };
}

/** Keeps what is told to the console as errors. */
export function overhear() {
  const { error } = console;
  const heard = [];
  console.error = (...told) => heard.push(told.map(String).join(" "));
  return { heard: () => heard.join("\n"), restore: () => (console.error = error) };
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The SDK's own storage, as any script of the page can open it. */
async function inStore(name, mode, work) {
  const database = await settled(indexedDB.open("pos-connect"));
  try {
    return await settled(work(database.transaction(name, mode).objectStore(name)));
  } finally {
    database.close();
  }
}

const algorithm = ({ id, iv }) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) });

/** The rows of a service's waiting orders, as they lie in the storage. */
export async function rows(origin) {
  const all = await inStore("entries", "readonly", (entries) => entries.getAll());
  return all.filter(({ id }) => decodeURIComponent(id).startsWith(`outbox ${origin}`));
}

/** All that such a row shows to who has not the key. */
export function shownBy(row) {
  const bytes = [new Uint8Array(row.iv), new Uint8Array(row.sealed)];
  return [row.id, Object.keys(row).join(), ...bytes.map((some) => String.fromCharCode(...some))].join("\n");
}

/** The content of a row: the page has the key, though it cannot be exported. */
export async function opened(row) {
  const key = await inStore("keys", "readonly", (keys) => keys.get("key"));
  const text = await crypto.subtle.decrypt(algorithm(row), key, row.sealed);
  return new TextDecoder().decode(text);
}

/** Another content in its place. */
export async function rewrite(row, text) {
  const key = await inStore("keys", "readonly", (keys) => keys.get("key"));
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const sealed = await crypto.subtle.encrypt(algorithm({ ...row, iv }), key, new TextEncoder().encode(text));
  await inStore("entries", "readwrite", (entries) => entries.put({ ...row, iv, sealed }));
}

/** A row that nobody can open, at another place of the queue. */
export async function misplace(row, place) {
  const id = row.id.replace(/\d{10}\.\d{14}\.\d{8}\./, place);
  await inStore("entries", "readwrite", (entries) => entries.put({ ...row, id }));
}

/** One bit of it is another one. */
export async function damage(row) {
  const sealed = new Uint8Array(row.sealed);
  sealed[0] ^= 1;
  await inStore("entries", "readwrite", (entries) => entries.put({ ...row, sealed: sealed.buffer }));
}

/** A disk without space: nothing can be written. */
export function full() {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function () {
    throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
  };
  return { restore: () => (IDBObjectStore.prototype.put = put) };
}

/** Blocked storage, as in private modes: nothing can be opened, `how`: "throw" or "error", and what is open is lost. */
export function shut(how) {
  const { open } = IDBFactory.prototype;
  const { transaction } = IDBDatabase.prototype;
  const error = new DOMException("not here", "InvalidStateError");
  IDBFactory.prototype.open = () => {
    if (how === "throw") throw new DOMException("not here", "SecurityError");
    const request = { error };
    setTimeout(() => request.onerror({ target: request }));
    return request;
  };
  IDBDatabase.prototype.transaction = () => {
    throw error;
  };
  return {
    restore: () => {
      IDBFactory.prototype.open = open;
      IDBDatabase.prototype.transaction = transaction;
    },
  };
}

/** What the pages of this browser tell each other. */
export function eavesdrop() {
  const { postMessage } = BroadcastChannel.prototype;
  const heard = [];
  BroadcastChannel.prototype.postMessage = function (message) {
    heard.push(`${this.name} ${JSON.stringify(message)}`);
    return postMessage.call(this, message);
  };
  return { heard, restore: () => (BroadcastChannel.prototype.postMessage = postMessage) };
}

/** The timers that repeat, from now on. */
export function repeated() {
  const { setInterval, clearInterval } = globalThis;
  const timers = new Map();
  globalThis.setInterval = (callback, ms) => {
    const id = setInterval(callback, ms);
    timers.set(id, { callback, ms });
    return id;
  };
  globalThis.clearInterval = (id) => {
    timers.delete(id);
    clearInterval(id);
  };
  return {
    list: () => [...timers.values()].map(({ ms }) => ms),
    fire: () => timers.forEach(({ callback }) => callback()),
    restore: () => Object.assign(globalThis, { setInterval, clearInterval }),
  };
}

/** Says that the network is there, without it having been away. */
export const online = () => window.dispatchEvent(new Event("online"));

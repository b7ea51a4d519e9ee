// The service of the specification, in the page: it stands in for `fetch`, so that the whole flow needs no server.

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
  "GET /v1/keys": "keys",
  "POST /v1/auth/revoke": "revoke",
  "GET /connection": "connection",
  "DELETE /connection": "disconnect",
};

/** Those of a relay, whose proof is the till's key. */
const OPERATIONS_OF_RELAY = ["connection", "disconnect"];

/** Those after the connection, whose proof is the access token. */
const OPERATIONS_OF_MERCHANT = ["profile", "patch", "customers", "order", "look", "keys"];
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
    // Most services have none, and no test counts how often they are asked.
    if (operation === "keys" && !this.#extra.keys) return respond(problem(404, "not_found"));
    const query = Object.fromEntries(searchParams);
    const seen = { operation, ...(await described(request)), query, at: performance.now() };
    this.requests.push(seen);
    const order = this.next(operation);
    if (order.delayMs) await new Promise((resolve) => setTimeout(resolve, order.delayMs));
    // Some browsers say in their errors what was asked for.
    const noAnswer = new TypeError(`Failed to fetch ${request.url}`);
    if (order.fault === "network") throw noAnswer;
    if (order.fault === "hang") return this.#hang(request.signal);
    const isOrdered = ["status", "body", "text"].some((name) => name in order);
    const answer = isOrdered ? order : this.#answer(seen, pathname, searchParams);
    if (order.fault === "lost") throw noAnswer;
    const body = order.change ? { ...answer.body, ...order.change } : answer.body;
    return respond({ ...answer, body }, order.fault === "cut");
  }

  /** One more order for calls of that operation. */
  plan(operation, order) {
    this.#orders[operation] = [...(this.#orders[operation] ?? []), order];
  }

  /** What becomes of the next call. */
  next(operation) {
    return this.#orders[operation]?.shift() ?? {};
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

  /** The same key gives the same answer; the same sale is one order, whatever becomes of its receipt. */
  order(order, { headers }) {
    const key = headers["idempotency-key"];
    const sale = JSON.stringify({ ...order, ereceipt: undefined });
    const before = this.#answers.get(key) ?? this.orders.get(order.externalId);
    if (before && before.sale !== sale) return problem(409, "order_exists");
    const answer = before ?? { sale, answer: { order, receivedAt: "2026-11-23T08:30:00Z" } };
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

  keys() {
    return { body: {} };
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

/** Answers each operation with the next of its orders, whatever the specification says; the last repeats. */
export class Script extends Service {
  #steps;

  constructor(steps) {
    super({}, {});
    this.#steps = steps;
  }

  next(operation) {
    const steps = this.#steps[operation] ?? [{ status: 500 }];
    return { status: 200, ...(steps.length > 1 ? steps.shift() : steps[0]) };
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

function respond({ status = 200, headers, body, text = body === undefined ? "" : JSON.stringify(body) }, isCut) {
  if (status === 204) return new Response(null, { status, headers });
  const half = new TextEncoder().encode(text.slice(0, text.length / 2));
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue(half),
    pull: (controller) => controller.error(new TypeError("network error")),
  });
  return new Response(isCut ? stream : text, { status, headers: { "content-type": "application/json", ...headers } });
}

// The authorization service and the relay as a `fetch`, for tests of the package itself. It asks for no proof: whoever
// sends a client secret is answered as the service does, and everybody else as the relay does.
import { known } from "../options.js";
import page from "./connect.html";
import { connected, Merchant } from "./merchant.js";
import { answer, checked, nothing, problem, refused, response } from "./response.js";
import { Script } from "./script.js";

const INTEGRATION = "/v1/auth/integration";
const ORDERS = "/v1/orders";
const HOUR = 3_600_000;
const OPTIONS = "baseUrl connectUrl connection keys receiptUrl state calls connect orders".split(" ");

export function fakeService(options = {}) {
  known("fakeService", options, OPTIONS);
  return new FakeService(options);
}

class FakeService {
  requests = [];
  connectPage = page;
  #network = globalThis.fetch;
  #script = new Script();
  #calls = new Script();
  #integrations;
  #merchant;
  #connection;
  /** Those of the connection. */
  #tokens;
  #hasEnded;
  #keys;
  #receiptUrl;
  /** By external ID, and by idempotency key. */
  #orders;
  #sent = new Map();

  constructor({ baseUrl = "https://relay.example", connectUrl, connection, keys = [], ...more }) {
    const { receiptUrl = `${baseUrl}/q/`, state = {}, ...script } = more;
    // Where the package is served to a page, its file is, too.
    const isServed = /^https?:/.test(import.meta.url);
    connectUrl ??= isServed ? new URL("./connect.html", import.meta.url).href : `${baseUrl}/connect`;
    this.options = { baseUrl, connectUrl, clientId: "till", vault: "memory" };
    this.#connection = state.connection ?? (connection ? connected(connection) : null);
    this.#tokens = state.tokens ?? [];
    this.#hasEnded = state.hasEnded ?? false;
    this.#integrations = new Map(state.integrations);
    this.#orders = new Map(state.orders);
    this.#merchant = new Merchant(state.merchant);
    this.#keys = keys;
    this.#receiptUrl = receiptUrl ?? undefined;
    this.script(script);
  }

  /** Without what came with an idempotency key: that has the shoppers' numbers. */
  get state() {
    const [connection, tokens, hasEnded] = [this.#connection, this.#tokens, this.#hasEnded];
    const [integrations, orders] = [[...this.#integrations], [...this.#orders]];
    return { connection, tokens, hasEnded, merchant: this.#merchant.state, integrations, orders };
  }

  script({ calls = {}, connect, orders }) {
    this.#script.set(checked({ connect, orders }));
    this.#calls.set(checked(calls));
  }

  decide(end = "finished") {
    for (const integration of this.#integrations.values()) this.#decide(integration, end);
  }

  endConnection() {
    this.#connection = null;
    this.#hasEnded = true;
  }

  handlers(http) {
    return [http.all(`${this.options.baseUrl}/*`, ({ request }) => this.fetch(request))];
  }

  route(page) {
    const serves = (url) => this.#serves(url);
    return page.route(serves, async (route) => {
      const request = route.request();
      const [method, headers, body] = [request.method(), request.headers(), request.postData()];
      const answered = await this.fetch(request.url(), { method, headers, body }).catch(() => undefined);
      if (!answered) return route.abort();
      const { status } = answered;
      return route.fulfill({ status, headers: Object.fromEntries(answered.headers), body: await answered.text() });
    });
  }

  fetch = async (input, init) => {
    const url = new URL(input.url ?? input, globalThis.location?.href);
    if (!this.#serves(url)) return this.#network.call(globalThis, input, init);
    // No `Request` is made: that of Node takes no signal of jsdom's.
    const { method = "GET", headers, body, signal } = input.url ? input : (init ?? {});
    const text = input.url ? await input.text() : String(body ?? "");
    const query = Object.fromEntries(url.searchParams);
    if (this.#isConnectPage(url)) return this.#shown(method, query, new URLSearchParams(text));
    const path = `${url.origin}${url.pathname}`.slice(this.options.baseUrl.length);
    const request = { method, path, query, headers: Object.fromEntries(new Headers(headers)), body: read(text) };
    this.requests.push(request);
    return Promise.race([this.#answered(request), givenUp(signal)]);
  };

  #serves(url) {
    return url.href.startsWith(`${this.options.baseUrl}/`) || this.#isConnectPage(url);
  }

  #isConnectPage({ origin, pathname }) {
    const connect = new URL(this.options.connectUrl);
    return origin === connect.origin && pathname === connect.pathname;
  }

  async #answered(request) {
    const { method, path, query } = request;
    const call = `${method} ${path}`;
    if ("client_id" in query && query.client_id !== this.options.clientId) return problem("invalid_client");
    const outcome = (await this.#calls.next(call)) ?? "answered";
    if (outcome !== "answered") return refused(outcome);
    if (call === `POST ${INTEGRATION}`) return this.#create();
    if (path.startsWith(INTEGRATION)) {
      const integration = this.#integrations.get(query.integration_token);
      return integration ? this.#ofIntegration(call, integration, query) : problem("invalid_integration");
    }
    if (call === "GET /connection") return answer({ connected: this.#connection !== null, ...this.#told() });
    if (call === "DELETE /connection") {
      this.endConnection();
      return nothing();
    }
    if (call === "POST /v1/auth/revoke") {
      // The token of an earlier connection ends nothing.
      if (this.#tokens.includes(new URLSearchParams(request.body).get("token"))) this.endConnection();
      return answer({});
    }
    if (!this.#connection) return problem(this.#hasEnded ? "connection_ended" : "not_connected");
    return this.#ofMerchant(call, request);
  }

  /** What everybody may know of the connection. */
  #told() {
    const expiration = this.#connection?.expiration ?? new Date(Date.now() + HOUR);
    return this.#connection && { ...this.#connection, expiration };
  }

  #create() {
    const outcome = this.#script.next("connect") ?? "finished";
    const isEnd = typeof outcome === "object" || ["pending", "finished", "cancelled"].includes(outcome);
    if (!isEnd) return refused(outcome);
    const number = this.#integrations.size + 1;
    const integrationToken = `fake-integration-${number}`;
    const integration = { number, status: "pending", page: "sign-in" };
    this.#integrations.set(integrationToken, integration);
    Promise.resolve(outcome).then((end) => this.#decide(integration, end));
    return answer({ integrationToken, interval: 1, expiresIn: 1800, code: "1234" });
  }

  #decide(integration, end) {
    if (integration.status !== "pending" || end === "pending") return;
    integration.status = integration.page = end === "cancelled" ? end : "finished";
    integration.tokens = typeof end === "object" ? end : {};
  }

  #ofIntegration(call, integration, query) {
    const { status } = integration;
    if (call === `GET ${INTEGRATION}`) return answer({ status, ...(status === "pending" && { interval: 1 }) });
    if (call === `DELETE ${INTEGRATION}`) {
      if (status === "finished") return problem("integration_finished");
      this.#decide(integration, "cancelled");
      return nothing();
    }
    if (call === `DELETE ${INTEGRATION}/token`) return nothing();
    if (call !== `GET ${INTEGRATION}/token`) return problem("not_found");
    return status === "finished" ? this.#pickedUp(integration, query) : problem(`integration_${status}`);
  }

  /** Once, unless the relay keeps the tokens. */
  #pickedUp(integration, query) {
    const { number, tokens, isTaken } = integration;
    const { accessToken = `fake-access-token-${number}`, refreshToken = `fake-refresh-token-${number}` } = tokens;
    const isHeld = !("accessToken" in tokens || "client_secret" in query);
    if (isTaken && !isHeld) return problem("tokens_already_retrieved");
    integration.isTaken = true;
    this.#connection = connected(tokens);
    this.#tokens = [accessToken, refreshToken];
    this.#hasEnded = false;
    return answer({ ...this.#told(), ...(isHeld ? { held: true } : { accessToken, refreshToken }) });
  }

  #ofMerchant(call, { method, path, headers, body }) {
    if (call === `POST ${ORDERS}`) return this.#order(body, headers["idempotency-key"]);
    if (method === "GET" && path.startsWith(`${ORDERS}/`)) {
      const known = this.#orders.get(decodeURIComponent(path.slice(ORDERS.length + 1)));
      return known ? answer(known.record) : problem("order_not_found");
    }
    if (call === "GET /v1/keys") return answer({ keys: this.#keys, receiptUrl: this.#receiptUrl });
    if (call === "POST /v1/customers") return answer({ results: this.#merchant.customers(body.customers) });
    if (call === "PATCH /v1/store") this.#merchant.update(body);
    else if (call !== "GET /v1/store") return problem("not_found");
    return answer(this.#merchant.profile(this.#connection));
  }

  /** Takes an order: the same key is the same call; the same sale is one order, whatever becomes of its receipt. */
  async #order(order, key) {
    const outcome = (await this.#script.next("orders")) ?? "accepted";
    if (outcome !== "accepted" && !outcome.ereceipt) return refused(outcome);
    const text = JSON.stringify(order);
    const isRepeated = this.#sent.has(key);
    if (isRepeated && this.#sent.get(key) !== text) return problem("idempotency_key_reused");
    const { ereceipt, ...sale } = order;
    const known = this.#orders.get(order.externalId) ?? { sale: JSON.stringify(sale), record: { order: sale } };
    if (known.sale !== JSON.stringify(sale)) return problem("order_exists");
    if (ereceipt && !this.#connection.ereceipt) return problem("ereceipt_not_enabled");
    known.record.receivedAt ??= new Date().toISOString();
    if (ereceipt) known.record.ereceipt ??= outcome.ereceipt ?? (ereceipt.linkHash ? "sent" : "queued");
    this.#orders.set(order.externalId, known);
    if (key !== undefined) this.#sent.set(key, text);
    return answer(known.record, isRepeated && { "idempotent-replayed": "true" });
  }

  /** The connect page, and what its script asks. */
  #shown(method, query, form) {
    if (method === "GET") return response(200, page, "text/html; charset=utf-8");
    const integration = this.#integrations.get(query.integration_token);
    if (!integration) return answer({ page: "error" });
    const action = form.get("action");
    if (action === "sign-in") integration.page = "consent";
    if (action === "connect") this.#decide(integration, { ereceipt: form.get("ereceipts") === "yes" });
    if (action === "cancel") this.#decide(integration, "cancelled");
    return answer({ page: integration.page });
  }
}

function read(text) {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function givenUp(signal) {
  return new Promise((_, reject) => {
    const abort = () => reject(new DOMException("The call was given up.", "AbortError"));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
  });
}

import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import { inTime, LIMIT } from "./wait.js";
import { listening } from "./way.js";

const TOKEN_PATH = "/v1/auth/integration/token";

/**
 * What stands between pages and the service: counts what gets through, and stops a call before or after it where a test
 * says so. On a port of its own, so to the SDK another service, and to a browser another host, of whose few connections
 * no other test holds one.
 */
export class Forwarder {
  /** `{ name, status }` of every call that got through, in the order of their answers. */
  log = [];
  /** The bodies of all orders that reached the service. */
  bodies = [];
  /** Calls whose connection is cut, by name: "before" or "after" the service has seen them. */
  cuts = new Map();
  /** What the last token call carried. */
  pickupId;
  /** Calls that come now get no answer: after 10 s or 30 s a page asks again, and the test may not be there yet. */
  isSilent = false;
  #options;
  #server;
  #service;
  #stops = [];

  /**
   * @param {{ plain?: boolean, relay?: boolean, created?: string }} options `plain`: a service that knows no
   *   `pickup_id`; `relay`: one that asks for an acknowledgement; `created`: the answer to every "create", another
   *   forwarder's `created`; `keyless`: a service that has no key to seal numbers for
   */
  static async start(serviceUrl, options = {}) {
    const forwarder = new Forwarder();
    forwarder.#options = options;
    forwarder.#service = serviceUrl;
    // Node closes a kept connection after 5 s; a browser that asks again just then repeats the call by itself, and it
    // is counted twice.
    const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
      forwarder.#answer(request, response).catch((error) => {
        response.headersSent ? response.destroy() : response.writeHead(500).end(String(error));
      });
    });
    forwarder.#server = await listening(server);
    forwarder.baseUrl = server.url;
    return forwarder;
  }

  /** The statuses of all calls of that name which got through. */
  answers(name) {
    return this.log.filter((call) => call.name === name).map((call) => call.status);
  }

  /** The next call of that name will stop `before` or `after` the service has seen it. */
  stop(name, at) {
    const stop = new Stop(name, at);
    this.#stops.push(stop);
    return stop;
  }

  async close() {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(request, response) {
    if (this.isSilent) return;
    const url = new URL(request.url, this.#service);
    const name = nameOf(request.method, url.pathname);
    if (name === "token") this.pickupId = url.searchParams.get("pickup_id");
    const body = await all(request);
    const isOrder = name === "POST /v1/orders";
    if (isOrder && !this.cuts.has(name)) this.bodies.push(body.toString());
    const passes = async (at) =>
      this.cuts.get(name) !== at && (await this.#take(name, at)?.halt(response)) !== "dropped";
    if (!(await passes("before"))) return response.destroy();
    const answer = await this.#serve(name, request, url, body);
    this.log.push({ name, status: answer.status });
    if (!(await passes("after"))) return response.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  #take(name, at) {
    const index = this.#stops.findIndex((stop) => stop.name === name && stop.at === at);
    return index < 0 ? undefined : this.#stops.splice(index, 1)[0];
  }

  async #serve(name, request, url, body) {
    const { plain, relay, created, keyless } = this.#options;
    if (keyless && name === "GET /v1/keys") return { status: 404, headers: JSON_HEADERS, body: "{}" };
    if (relay && request.method === "OPTIONS") return { status: 204, headers: ALLOWED };
    if (relay && name === "acknowledge") return { status: 204, headers: { "access-control-allow-origin": "*" } };
    if (created && name === "create") return { status: 200, headers: JSON_HEADERS, body: created };
    const answer = await forward(request, url, body);
    if (answer.status !== 200) return answer;
    if (name === "create") {
      this.created = answer.body;
      if (plain) return edited(answer, ({ pickup, ...rest }) => rest);
    }
    if (relay && name === "token") return edited(answer, (members) => ({ ...members, acknowledge: true }));
    return answer;
  }
}

const ALLOWED = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "*",
};
const JSON_HEADERS = { "access-control-allow-origin": "*", "content-type": "application/json" };

/** Where a call waits until the test, or the end of its page, decides. */
class Stop {
  #reach;
  #decide;
  #reached = new Promise((resolve) => {
    this.#reach = resolve;
  });
  #decision = new Promise((resolve) => {
    this.#decide = resolve;
  });

  constructor(name, at) {
    this.name = name;
    this.at = at;
  }

  /** Resolves when a call waits here. */
  async reached() {
    await inTime(LIMIT, this.#reached, `No ${this.name} call came.`);
  }

  release() {
    this.#decide("released");
  }

  async halt(response) {
    this.#reach();
    response.once("close", () => this.#decide("dropped"));
    return this.#decision;
  }
}

function nameOf(method, path) {
  const operation = {
    [TOKEN_PATH]: { GET: "token", DELETE: "acknowledge" },
    [`${TOKEN_PATH}/reissue`]: { POST: "reissue" },
  };
  operation["/v1/auth/integration"] = { POST: "create", GET: "status", DELETE: "cancel" };
  return operation[path]?.[method] ?? `${method} ${path}`;
}

async function forward(request, url, body) {
  const { host, connection, ...headers } = request.headers;
  const asking = ask(url, { method: request.method, headers, agent: false });
  asking.end(body);
  const [answer] = await once(asking, "response");
  const { connection: _, "transfer-encoding": __, ...kept } = answer.headers;
  return { status: answer.statusCode, headers: kept, body: (await all(answer)).toString() };
}

function edited({ status, headers, body }, edit) {
  const { "content-length": _, ...rest } = headers;
  return { status, headers: rest, body: JSON.stringify(edit(JSON.parse(body))) };
}

async function all(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

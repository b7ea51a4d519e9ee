// @engines chromium: it opens no browser
// A vendor's back end by `pos-connect/server`, in each kind of Node server, before a real service.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { after, before, beforeEach, describe, test } from "node:test";
import express from "express";
import { Hono } from "hono";
import { createBackEnd, memoryStorage } from "../../pkg-template/server/index.js";
import { decide } from "../rig/merchant.mjs";
import { Service } from "./support/service.js";
import { listening, Way } from "./support/way.js";

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const REFRESH = "/v1/auth/token";
const REVOKE = "/v1/auth/revoke";
const PAGE = "https://till.example";
const TILLS = { "Bearer key-1": "till-1", "Bearer key-2": "till-2" };
/** Each test has a merchant of its own at the back end. */
let merchant;
const tillOf = (authorization) => {
  const id = TILLS[authorization];
  return id ? { id, merchant } : null;
};

/** Serves what answers a `Request` with a `Response`. */
const serve = (answer) =>
  createServer(async (incoming, outgoing) => {
    const { method, headers } = incoming;
    const body = ["GET", "HEAD", "OPTIONS"].includes(method) ? undefined : Readable.toWeb(incoming);
    const url = new URL(incoming.url, "http://localhost");
    const response = await answer(new Request(url, { method, headers, body, duplex: "half" }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });

const SERVERS = {
  "node:http": (backEnd) => createServer(backEnd.middleware),
  Express: (backEnd) => createServer(express().use(backEnd.middleware)),
  Hono: (backEnd) => serve(new Hono().all("*", (c) => backEnd.fetch(c.req.raw)).fetch),
};

/** A storage whose disk may be full. */
function storageOfTests() {
  const { load, locked } = memoryStorage();
  const storage = {
    load,
    full: false,
    locked: (key, work) =>
      locked(key, (value, save) =>
        work(value, (changed) => {
          if (storage.full) throw new Error("The disk is full.");
          return save(changed);
        }),
      ),
  };
  return storage;
}

let service;
const way = new Way();
before(
  async () => {
    service = await Service.start();
    await way.start(service.settings.baseUrl);
  },
  { timeout: 180_000 },
);
after(
  async () => {
    way.server?.close();
    way.server?.closeAllConnections();
    await service?.stop();
  },
  { timeout: 180_000 },
);

for (const [name, serverOf] of Object.entries(SERVERS))
  describe(name, () => {
    let storage, server, errors;
    const start = (more) => {
      const { clientId, clientSecret } = service.settings;
      const onError = (error) => errors.push(error);
      const serviceUrl = `${way.url}/`;
      const backEnd = createBackEnd({ serviceUrl, clientId, clientSecret, storage, tillOf, onError, ...more });
      return listening(serverOf(backEnd));
    };
    before(async () => {
      storage = storageOfTests();
      server = await start({ origins: [PAGE] });
    });
    after(() => {
      server?.close();
      server?.closeAllConnections();
    });
    beforeEach(() => {
      errors = [];
      merchant = crypto.randomUUID();
      way.calls.length = 0;
      way.faults = {};
      storage.full = false;
    });

    /** A till's call, as the SDK makes it: without the secret, with what proves which till it is. */
    async function ask(method, path, integration_token, { key = "key-1", headers, url = server.url, body } = {}) {
      const query = new URLSearchParams({
        client_id: service.settings.clientId,
        ...(integration_token && { integration_token }),
      });
      const response = await fetch(path.startsWith("/v1/auth/") ? `${url}${path}?${query}` : `${url}${path}`, {
        method,
        headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
        body,
      });
      const text = await response.text();
      assert.ok(
        !text.includes(service.settings.clientSecret) && !/pc[ar]_/.test(text),
        "A secret or a token in an answer.",
      );
      assert.equal(response.headers.get("set-cookie"), null, "A header of the service that is not for the till.");
      ask.last = response.headers;
      if (!/json$/.test(response.headers.get("content-type"))) return { status: response.status, body: null };
      assert.equal(response.headers.get("cache-control"), "no-store");
      return { status: response.status, body: text ? JSON.parse(text) : null };
    }

    async function finished(wishes = { ereceipts: "1" }) {
      const created = await ask("POST", INTEGRATION);
      assert.equal(created.status, 200);
      const token = created.body.integrationToken;
      const end = await decide(service.settings, new URLSearchParams({ integration_token: token, ...wishes }));
      assert.equal(end.state, "finished");
      way.calls.length = 0;
      return token;
    }

    const kept = async () => (await storage.load(merchant)).connection;

    /** What the service says to the tokens that were kept. */
    async function account(accessToken) {
      const headers = { authorization: `Bearer ${accessToken ?? (await kept()).accessToken}` };
      const response = await fetch(`${service.settings.baseUrl}/v1/account`, { headers });
      return response.status;
    }

    async function connected(wishes) {
      assert.equal((await ask("GET", TOKEN, await finished(wishes))).status, 200);
      way.calls.length = 0;
    }

    /** Until nothing has to be revoked any more. */
    async function revoked() {
      while ((await storage.load(merchant)).spent.length > 0) await new Promise(setImmediate);
    }

    const order = (more) => ({
      headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
      body: JSON.stringify({
        externalId: crypto.randomUUID(),
        time: new Date().toISOString(),
        currency: "ILS",
        total: 1191,
        lines: [{ name: "Bread", quantity: 1, amount: 1191 }],
        ...more,
      }),
    });

    /** A call that the back end could not answer. What it tells and reports holds no secret, no token and no URL. */
    async function fails(method, path, token, reported) {
      errors.length = 0;
      assert.deepEqual(await ask(method, path, token), {
        status: 502,
        body: { success: false, code: "upstream_unavailable" },
      });
      assert.equal(errors.length, 1);
      if (reported instanceof RegExp) assert.match(errors[0].message, reported);
      else assert.equal(errors[0].message, reported);
      const said = errors.map((error) => `${error.stack} ${error.cause}`).join();
      assert.ok(
        !said.includes(service.settings.clientSecret) && !/pc[ar]_|\?client_id/.test(said),
        "A secret, a token or a query in an error.",
      );
    }

    test("the four calls: create, status, tokens, cancel", async () => {
      const token = await finished();
      assert.deepEqual(await ask("GET", INTEGRATION, token), {
        status: 200,
        body: { success: true, status: "finished" },
      });
      const held = await ask("GET", TOKEN, token);
      assert.deepEqual(
        [held.status, Object.keys(held.body).sort()],
        [200, ["account", "ereceipt", "expiration", "held", "store", "success"]],
      );
      assert.deepEqual([held.body.held, held.body.ereceipt, held.body.account.name], [true, true, "Demo Bakery"]);
      assert.deepEqual(await ask("GET", TOKEN, token), held, "asked again, the answer is the same");
      assert.equal(await account(), 200);

      const other = (await ask("POST", INTEGRATION)).body.integrationToken;
      assert.deepEqual((await ask("GET", TOKEN, other)).body.code, "integration_pending");
      // What the SDK puts into its errors.
      assert.equal(ask.last.get("retry-after"), "7");
      assert.match(ask.last.get("x-request-id"), /^\S{8,}$/);
      assert.equal(ask.last.get("content-type"), "application/json");
      assert.deepEqual(await ask("DELETE", INTEGRATION, other), { status: 204, body: null });
      assert.equal(ask.last.get("cache-control"), "no-store");
      assert.equal((await ask("GET", INTEGRATION, other)).body.status, "cancelled");
      assert.deepEqual(errors, []);
    });

    test("a lost answer is cured, and the tokens are given once however many ask", async () => {
      const token = await finished();
      way.faults[TOKEN] = ["lost"];
      await fails("GET", TOKEN, token, new RegExp(`^GET ${TOKEN}: (UND_ERR_SOCKET|ECONNRESET)$`));
      const answers = await Promise.all([1, 2, 3].map(() => ask("GET", TOKEN, token)));
      for (const answer of answers) assert.deepEqual([answer.status, answer.body.held], [200, true]);
      assert.deepEqual(way.calls, [`GET ${TOKEN} 200`, `GET ${TOKEN} 410`, `POST ${TOKEN}/reissue 200`]);
      assert.equal(await account(), 200);
    });

    test("tokens that were not stored are not answered, and not lost", async () => {
      const token = await finished();
      storage.full = true;
      await fails("GET", TOKEN, token, "The disk is full.");
      storage.full = false;
      assert.equal((await ask("GET", TOKEN, token)).body.held, true);
      assert.equal(await account(), 200);
    });

    test("what the service must not answer is neither believed nor shown", async () => {
      const token = await finished();
      way.faults[TOKEN] = ["redirect", "garbled", "empty"];
      way.faults[`${TOKEN}/reissue`] = ["garbled", "empty"];
      await fails("GET", TOKEN, token, `GET ${TOKEN}: TypeError`);
      assert.equal(way.calls.length, 1, "The redirect was followed.");
      await fails("GET", TOKEN, token, `GET ${TOKEN}: SyntaxError`);
      await fails("GET", TOKEN, token, `GET ${TOKEN}: 200 without tokens`);
      await fails("GET", TOKEN, token, `POST ${TOKEN}/reissue: SyntaxError`);
      await fails("GET", TOKEN, token, `GET ${TOKEN}: 200 without tokens`);
      assert.equal(await kept(), null);
      assert.equal((await ask("GET", TOKEN, token)).body.held, true);
      assert.equal(await account(), 200);
    });

    test("orders, customers and the profile go through, each till's orders apart", async () => {
      assert.equal((await ask("POST", "/v1/orders", undefined, order())).body.code, "not_connected");
      assert.deepEqual(way.calls, []);
      await connected();
      const externalId = crypto.randomUUID();
      const sent = order({ externalId });
      assert.equal((await ask("POST", "/v1/orders", undefined, sent)).status, 200);
      assert.equal((await ask("POST", "/v1/orders", undefined, sent)).status, 200, "the same order again");
      assert.equal(ask.last.get("idempotent-replayed"), "true");
      const other = order({ externalId, total: 1192, lines: [{ name: "Bread", quantity: 1, amount: 1192 }] });
      assert.equal((await ask("POST", "/v1/orders", undefined, other)).body.code, "order_exists");
      assert.equal((await ask("POST", "/v1/orders", undefined, { ...other, key: "key-2" })).status, 200);
      assert.equal((await ask("GET", `/v1/orders/${externalId}`)).body.order.total, 1191);
      assert.equal((await ask("GET", "/v1/orders/..%2Faccount")).status, 404);
      assert.equal((await ask("GET", "/v1/orders/%ff")).body.code, "malformed_request");
      const { status, body } = await ask("GET", "/v1/store");
      assert.deepEqual([status, typeof body.store.name], [200, "string"]);
      assert.equal((await ask("GET", "/v1/keys")).status, 200);
      const json = { "content-type": "application/json" };
      const huge = { headers: json, body: JSON.stringify({ name: "x".repeat(1 << 20) }) };
      assert.equal((await ask("PATCH", "/v1/store", undefined, huge)).body.code, "body_too_large");
      assert.equal((await ask("PATCH", "/v1/store", undefined, { headers: json, body: "{" })).status, 400);
      assert.deepEqual(errors, []);
    });

    test("an access token that works no more is refreshed once, however many call", async () => {
      await connected();
      await storage.locked(merchant, async (value, save) => {
        await save({ ...value, connection: { ...value.connection, accessToken: "none" } });
      });
      const calls = [1, 2, 3].map(() => ask("POST", "/v1/orders", undefined, order()));
      for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
      assert.deepEqual(
        way.calls.filter((call) => call.includes(REFRESH)),
        [`POST ${REFRESH} 200`],
      );
    });

    test("a connection that the service has ended is one no more", async () => {
      await connected();
      const { refreshToken } = await kept();
      const { clientId: client_id, clientSecret: client_secret, baseUrl } = service.settings;
      const body = new URLSearchParams({ client_id, client_secret, token: refreshToken });
      assert.equal((await fetch(baseUrl + REVOKE, { method: "POST", body })).status, 200);
      assert.equal((await ask("POST", "/v1/orders", undefined, order())).body.code, "connection_ended");
      assert.deepEqual((await ask("GET", "/connection")).body, { success: true, connected: false });
      assert.equal((await ask("POST", "/v1/orders", undefined, order())).body.code, "connection_ended");
    });

    test("every till of the merchant sees the connection, and ends it", async () => {
      assert.deepEqual((await ask("GET", "/connection")).body, { success: true, connected: false });
      await connected();
      const { body } = await ask("GET", "/connection", undefined, { key: "key-2" });
      assert.deepEqual([body.connected, body.ereceipt, body.account.name], [true, true, "Demo Bakery"]);
      const { accessToken } = await kept();
      way.faults[REVOKE] = ["lost"];
      assert.equal((await ask("DELETE", "/connection", undefined, { key: "key-2" })).status, 204);
      assert.equal(errors.length, 1, "the service was not told");
      assert.deepEqual((await ask("GET", "/connection")).body, { success: true, connected: false });
      await revoked();
      assert.equal(await account(accessToken), 401);
      assert.equal((await ask("POST", "/v1/orders", undefined, order())).body.code, "not_connected");
    });

    test("a merchant who connects again has one token set, and the same store", async () => {
      await connected();
      const { accessToken } = await kept();
      await connected();
      await revoked();
      assert.deepEqual([await account(accessToken), await account()], [401, 200]);

      const other = await ask("GET", TOKEN, await finished({ store: "1" }));
      assert.deepEqual([other.status, other.body.code], [409, "other_account"]);
      await revoked();
      assert.equal(await account(), 200, "the connection so far");
      const open = await start({ mayChangeAccount: async (name) => name === merchant });
      try {
        const allowed = await ask("GET", TOKEN, await finished({ store: "1" }), { url: open.url });
        assert.equal(allowed.status, 200);
      } finally {
        open.close();
        open.closeAllConnections();
      }
    });

    test("a service that hangs is given up after ten seconds", { timeout: 10_000 }, async (t) => {
      const { timeout } = AbortSignal;
      const limits = [];
      t.mock.method(AbortSignal, "timeout", (limit) => {
        limits.push(limit);
        return timeout.call(AbortSignal, 200);
      });
      way.faults[INTEGRATION] = ["slow"];
      await fails("POST", INTEGRATION, undefined, `POST ${INTEGRATION}: TimeoutError`);
      assert.deepEqual(limits, [10_000]);
    });

    test("another till gets nothing, and no other path of the service can be called", async () => {
      const token = await finished();
      const refused = (status, code) => ({ status, body: { success: false, code } });
      for (const [method, path] of [
        ["GET", INTEGRATION],
        ["GET", TOKEN],
        ["DELETE", INTEGRATION],
      ]) {
        assert.deepEqual(await ask(method, path, token, { key: "key-2" }), refused(403, "invalid_integration"));
        assert.deepEqual(await ask(method, path), refused(403, "invalid_integration"));
        assert.deepEqual(await ask(method, path, token, { key: "key-3" }), refused(401, "unauthorized"));
      }
      assert.deepEqual(await ask("POST", INTEGRATION, undefined, { key: null }), refused(401, "unauthorized"));
      for (const path of ["/v1/account", `${TOKEN}/reissue`, "/connect", `${INTEGRATION}/`])
        assert.equal((await ask("GET", path, token)).status, 404);
      for (const [method, path, allow] of [
        ["PUT", INTEGRATION, "GET, POST, DELETE"],
        ["POST", TOKEN, "GET"],
        ["DELETE", TOKEN, "GET"],
      ]) {
        assert.deepEqual(await ask(method, path, token), refused(405, "method_not_allowed"));
        assert.equal(ask.last.get("allow"), allow);
      }
      assert.deepEqual(way.calls, []);
    });

    const cors = () =>
      ["allow-origin", "allow-methods", "allow-headers", "expose-headers"].map((part) =>
        ask.last.get(`access-control-${part}`),
      );

    test("a page of another origin may ask and read, if it is in `origins`", async () => {
      const preflight = {
        key: null,
        headers: {
          origin: PAGE,
          "access-control-request-method": "GET",
          "access-control-request-headers": "authorization",
        },
      };
      for (const [path, methods] of [
        [INTEGRATION, "GET, POST, DELETE"],
        [TOKEN, "GET"],
      ]) {
        assert.equal((await ask("OPTIONS", path, undefined, preflight)).status, 204);
        assert.deepEqual(cors().slice(0, 3), [PAGE, methods, "*, Authorization"]);
        assert.deepEqual([ask.last.get("vary"), ask.last.get("access-control-max-age")], ["Origin", "600"]);
      }
      const headers = { origin: PAGE };
      way.faults[INTEGRATION] = ["none", "lost"];
      for (const [key, status] of [
        ["key-1", 200],
        ["key-1", 502],
        ["key-3", 401],
      ]) {
        assert.equal((await ask("POST", INTEGRATION, undefined, { key, headers })).status, status);
        assert.deepEqual([cors()[0], cors()[3], ask.last.get("vary")], [PAGE, "Retry-After, X-Request-Id", "Origin"]);
      }
    });

    test("a page of a foreign origin may not read", async () => {
      for (const origin of ["https://till.example.evil.example", "null", undefined]) {
        for (const method of ["OPTIONS", "POST"]) {
          await ask(method, INTEGRATION, undefined, { headers: origin && { origin } });
          assert.deepEqual([cors()[0], cors()[3], ask.last.get("vary")], [null, null, "Origin"]);
        }
      }
    });

    test("without `origins`, nothing is said about them", async () => {
      const alone = await start();
      try {
        assert.equal(
          (await ask("POST", INTEGRATION, undefined, { url: alone.url, headers: { origin: PAGE } })).status,
          200,
        );
        assert.deepEqual([cors()[0], cors()[3], ask.last.get("vary")], [null, null, null]);
      } finally {
        alone.close();
        alone.closeAllConnections();
      }
    });
  });

test("what cannot work does not start", () => {
  const keys = { clientId: "vendor", clientSecret: "secret" };
  const good = { serviceUrl: "https://auth.example.com", ...keys, storage: memoryStorage(), tillOf };
  createBackEnd(good);
  for (const [bad, message] of [
    [{ serviceUrl: "auth.example.com" }, /Invalid URL/],
    [{ serviceUrl: "http://auth.example.com" }, /serviceUrl: https/],
    [{ serviceUrl: "http://127.0.0.1.example.com" }, /serviceUrl: https/],
    [{ clientSecret: undefined }, /clientSecret is missing/],
    [{ storage: undefined }, /storage is missing/],
    [{ origins: [`${PAGE}/`] }, /origins/],
  ])
    assert.throws(() => createBackEnd({ ...good, ...bad }), { name: "TypeError", message });
});

test("Express goes on with the paths that are none of the back end's", async () => {
  const keys = { clientId: "vendor", clientSecret: "secret" };
  const { middleware } = createBackEnd({ serviceUrl: way.url, ...keys, storage: memoryStorage(), tillOf: () => null });
  const app = express().use(middleware).get("/v1/other", (_, response) => response.send("mine"));
  const server = await listening(createServer(app));
  try {
    assert.equal(await (await fetch(`${server.url}/v1/other`)).text(), "mine");
    assert.equal((await fetch(`${server.url}/v1/store`)).status, 401);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

// @engines chromium: it opens no browser
// `pos-connect/server` between hostile callers and a service, a storage or a logger that fails.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { after, afterEach, before, beforeEach, test } from "node:test";
import express from "express";
import { createBackEnd, memoryStorage } from "../../pkg-template/server/index.js";
import { eventually } from "./support/wait.js";
import { listening } from "./support/way.js";

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const REVOKE = "/v1/auth/revoke";
/** A request ID of the back end's own. */
const OWN = "own";
const TOKENS = { accessToken: "a-1", refreshToken: "r-1", account: { id: "acc-1" }, store: { id: "sto-1" } };

/** What the service answers, by path: status, body and headers, or a function that gets request and response. */
let answers, calls, service;
before(async () => {
  service = await listening(
    createServer((request, response) => {
      request.resume();
      const { pathname } = new URL(request.url, "http://localhost");
      calls.push(`${request.method} ${pathname}`);
      const answer = answers[pathname];
      if (typeof answer === "function") return answer(request, response);
      const [status, body, headers] = answer;
      response.writeHead(status, { "content-type": "text/html", ...headers }).end(JSON.stringify(body));
    }),
  );
});
after(() => stopped(service));

let created, errors, open, storage;
beforeEach(() => {
  created = 0;
  errors = [];
  open = [];
  calls = [];
  storage = memoryStorage();
  answers = {
    [INTEGRATION]: (request, response) =>
      response.end(JSON.stringify({ success: true, integrationToken: `i-${(created += 1)}` })),
    [TOKEN]: [200, TOKENS],
    [REVOKE]: [200, {}],
    "/v1/orders": [200, { success: true }],
    "/v1/account": [200, { success: true, ereceipt: true }],
  };
});
afterEach(() => Promise.all(open.map(stopped)));

function stopped(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

function backEndOf(more) {
  const tillOf = (id) => (id ? { id, merchant: "bakery" } : null);
  const onError = (error) => errors.push(error.message);
  return createBackEnd({
    serviceUrl: service.url,
    clientId: "vendor",
    clientSecret: "secret",
    storage,
    tillOf,
    onError,
    ...more,
  });
}

async function served(listener) {
  const server = await listening(createServer(listener));
  open.push(server);
  return server;
}

const caller = (backEnd) => async (method, path, { till = "till-1", token, ...init } = {}) => {
  const url = `http://localhost${path}${token ? `?integration_token=${token}` : ""}`;
  const response = await backEnd.fetch(new Request(url, { method, headers: { authorization: till }, ...init }));
  const text = await response.text();
  assert.doesNotMatch(text, /a-1|r-1|secret/, "A secret or a token in an answer.");
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
};

/** What comes back for the bytes of a request. */
const sent = ({ url }, head) =>
  new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(new URL(url).port, "127.0.0.1", () => socket.write(`${head}\r\nHost: a\r\n\r\n`));
    socket.on("data", (data) => {
      received += data;
      socket.destroy();
    });
    socket.on("close", () => resolve(Number(received.split(" ")[1])));
    socket.on("error", reject);
  });

test("what is no request of the web platform is answered, and ends no process", async () => {
  const { middleware } = backEndOf();
  const plain = await served(middleware);
  assert.equal(await sent(plain, "GET // HTTP/1.1"), 404);
  assert.equal(await sent(plain, "GET //evil.example/v1/store HTTP/1.1"), 404);
  assert.equal(await sent(plain, "TRACE /v1/store HTTP/1.1"), 400);
  assert.equal(await sent(plain, "GET evil://x/v1/store HTTP/1.1"), 400);
  const app = await served(express().use(middleware));
  assert.equal(await sent(app, "GET // HTTP/1.1"), 404);
  assert.equal(await sent(app, "TRACE /v1/store HTTP/1.1"), 404);
  assert.equal(await sent(app, "GET evil://x/v1/store HTTP/1.1"), 404);
});

test("an order whose body somebody has read is not sent without it", async () => {
  const backEnd = backEndOf();
  const app = await served(express().use(express.json(), backEnd.middleware));
  const ask = caller(backEnd);
  await ask("POST", INTEGRATION);
  await ask("GET", TOKEN, { token: "i-1" });
  calls.length = 0;
  const headers = { authorization: "till-1", "content-type": "application/json" };
  const order = { method: "POST", headers, body: '{"total":1}' };
  assert.equal((await fetch(`${app.url}/v1/orders`, order)).status, 502);
  const read = new Request("http://localhost/v1/orders", order);
  await read.json();
  assert.equal((await backEnd.fetch(read)).status, 502);
  assert.equal(errors.length, 2);
  for (const message of errors) assert.match(message, /body has been read/);
  assert.deepEqual(calls, []);
});

test("an `onError` that fails costs no answer, and ends no process", async (t) => {
  const shown = t.mock.method(console, "error", () => {});
  for (const fail of [() => assert.fail("no disk"), () => Promise.reject(new Error("no disk"))]) {
    const ask = caller(backEndOf({ onError: fail }));
    await storage.locked("bakery", (_, save) => save({ integrations: {}, spent: ["r-0"] }));
    answers[REVOKE] = [500, {}];
    assert.equal((await ask("GET", "/connection")).status, 200);
    assert.equal((await ask("DELETE", "/connection")).status, 204);
    answers[INTEGRATION] = [200, null];
    assert.equal((await ask("POST", INTEGRATION)).status, 502);
  }
  assert.equal(shown.mock.callCount(), 6);
});

test("a page that creates integrations in a loop takes none of another till", async () => {
  const ask = caller(backEndOf());
  await ask("POST", INTEGRATION, { till: "till-2" });
  for (let index = 0; index < 60; index += 1) await ask("POST", INTEGRATION);
  assert.equal(Object.keys((await storage.load("bakery")).integrations).length, 11);
  assert.equal((await ask("GET", TOKEN, { till: "till-2", token: "i-1" })).status, 200);
});

test("one call of a merchant at a time waits for the storage's lock", async () => {
  let [looked, waiting, most] = [0, 0, 0];
  const counted = {
    load(merchant) {
      looked += 1;
      return storage.load(merchant);
    },
    locked(merchant, work) {
      waiting += 1;
      most = Math.max(most, waiting);
      return storage.locked(merchant, work).finally(() => {
        waiting -= 1;
      });
    },
  };
  const ask = caller(backEndOf({ storage: counted }));
  await ask("POST", INTEGRATION);
  let answer;
  answers[TOKEN] = (_, response) => {
    answer = () => response.end(JSON.stringify(TOKENS));
  };
  const asked = Array.from({ length: 8 }, () => ask("GET", TOKEN, { token: "i-1" }));
  await eventually(() => looked >= 8 && answer, "Eight calls did not come to the storage.");
  answer();
  for (const { body } of await Promise.all(asked)) assert.equal(body.held, true);
  assert.equal(most, 1);
  assert.equal(calls.filter((call) => call === `GET ${TOKEN}`).length, 1);
});

test("a revocation that hangs keeps nobody from connecting again", async (t) => {
  // Whoever waited for it would do so for ever.
  t.mock.method(AbortSignal, "timeout", () => new AbortController().signal);
  const ask = caller(backEndOf());
  await storage.locked("bakery", (_, save) => save({ integrations: {}, spent: ["r-0"] }));
  const hanging = [];
  answers[REVOKE] = (_, response) => hanging.push(response);
  assert.equal((await ask("GET", "/connection")).body.connected, false);
  await ask("POST", INTEGRATION);
  assert.equal((await ask("GET", TOKEN, { token: "i-1" })).body.held, true);
  await eventually(() => hanging.length >= 2, "The token was not revoked a second time.");
  for (const response of hanging) response.destroy();
  await eventually(() => errors.length >= 2, "A revocation that failed was not reported.");
});

test("a pick-up and the end of the connection at once leave no tokens behind", async () => {
  const ask = caller(backEndOf());
  await ask("POST", INTEGRATION);
  let ended;
  const loaded = storage.load;
  // Between the look whose the integration is and the lock, another till ends the connection.
  storage.load = async (merchant) => {
    const value = await loaded(merchant);
    storage.load = loaded;
    await storage.locked(merchant, (_, save) => save({ ...value, integrations: {} }));
    ended = true;
    return value;
  };
  const { status, body } = await ask("GET", TOKEN, { token: "i-1" });
  assert.deepEqual([ended, status, body.code], [true, 403, "invalid_integration"]);
  assert.ok(!calls.includes(`GET ${TOKEN}`));
  assert.deepEqual(errors, []);
});

test("tokens that come with another 2xx are kept, and not shown", async () => {
  const ask = caller(backEndOf());
  await ask("POST", INTEGRATION);
  answers[TOKEN] = [203, TOKENS];
  const { status, body, headers } = await ask("GET", TOKEN, { token: "i-1" });
  assert.deepEqual([status, body.held, headers.get("content-type")], [203, true, "application/json"]);
  assert.equal((await storage.load("bakery")).connection.accessToken, "a-1");
});

test("whose orders wait is remembered over an answer that does not say it", async () => {
  const ask = caller(backEndOf());
  const codes = [];
  const named = (account, store) => ({ ...TOKENS, account, store });
  for (const tokens of [TOKENS, named(), named({ id: "acc-2" }, { id: "sto-2" })]) {
    answers[TOKEN] = [200, tokens];
    await ask("POST", INTEGRATION);
    codes.push((await ask("GET", TOKEN, { token: `i-${created}` })).body.code);
  }
  assert.deepEqual(codes, [undefined, undefined, "other_account"]);
});

test("an answer without an end is not read to its end", async () => {
  answers[INTEGRATION] = (_, response) => response.end(" ".repeat((1 << 20) + 1));
  assert.equal((await caller(backEndOf())("POST", INTEGRATION)).status, 502);
  assert.deepEqual(errors, [`POST ${INTEGRATION}: RangeError`]);
});

test("a service that wants to be left alone is not checked, for five minutes at most", async (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const ask = caller(backEndOf());
  await ask("POST", INTEGRATION);
  await ask("GET", TOKEN, { token: "i-1" });
  const busy = (status, headers) => [status, {}, headers];
  const page = (status) => (_, response) => response.writeHead(status, { "retry-after": "60" }).end("<p>Busy</p>");
  const date = "Thu, 26 Nov 2026 08:00:00 GMT";
  for (const [account, refresh, seconds] of [
    [busy(429, { "retry-after": "60" }), null, 60],
    [busy(503, { "retry-after": "Thu, 26 Nov 2026 08:01:00 GMT", date }), null, 60],
    [busy(503, { "retry-after": "99999999999999999999" }), null, 300],
    [busy(503, { "retry-after": "soon" }), null, 15],
    [busy(500, {}), null, 15],
    [busy(401, {}), busy(503, { "retry-after": "60" }), 60],
    [page(429), null, 60],
    [busy(401, {}), page(503), 60],
  ]) {
    answers["/v1/account"] = account;
    answers["/v1/auth/token"] = refresh;
    [calls, errors] = [[], []];
    now += 15_000;
    // Others of the merchant get what is known, and wait for no check of somebody else's.
    for (const _ of [1, 2]) assert.equal((await ask("GET", "/connection")).body.connected, true);
    await eventually(() => errors.length > 0, "The check did not fail.");
    now += 1000 * seconds - 1;
    await ask("GET", "/connection");
    const checks = () => calls.filter((call) => call === "GET /v1/account").length;
    assert.deepEqual([checks(), errors.length], [1, 1], `${seconds}`);
    answers["/v1/account"] = [200, {}];
    now += 1;
    await ask("GET", "/connection");
    await eventually(() => checks() >= 2, "The account was not checked again.");
  }
});

test("a till hears the Retry-After of a page of the proxy's", async () => {
  const ask = caller(backEndOf());
  const heard = [];
  for (const status of [429, 503, 200]) {
    answers[INTEGRATION] = (_, response) => response.writeHead(status, { "retry-after": "7" }).end("<p>Busy</p>");
    const answer = await ask("POST", INTEGRATION);
    heard.push([answer.status, answer.body.code, answer.headers.get("retry-after")]);
  }
  const unavailable = [502, "upstream_unavailable"];
  assert.deepEqual(heard, [[...unavailable, "7"], [...unavailable, "7"], [...unavailable, null]]);
});

test("a till gets Retry-After in seconds, and of the service's other headers only what they can be", async () => {
  const ask = caller(backEndOf());
  const date = "Thu, 26 Nov 2026 08:00:00 GMT";
  const names = ["retry-after", "x-request-id", "idempotent-replayed"];
  for (const [status, headers, heard] of [
    [429, {}, ["5"]],
    [429, { "retry-after": "soon" }, ["5"]],
    [503, { "retry-after": "soon" }, [null]],
    [503, { "retry-after": "Thu, 26 Nov 2026 08:01:00 GMT", date }, ["60"]],
    [409, { "retry-after": ["7", "120"] }, ["7"]],
    [409, { "retry-after": "0" }, ["1"]],
    [409, { "retry-after": "86400" }, ["300"]],
    [200, { "x-request-id": "r-1", "idempotent-replayed": "true" }, [null, "r-1", "true"]],
    [200, { "x-request-id": ["r-1", "r-2"], "idempotent-replayed": ["true", "true"] }, [null, OWN, null]],
    [200, { "x-request-id": "r".repeat(65), "idempotent-replayed": "<b>" }, [null, OWN, null]],
  ]) {
    answers[INTEGRATION] = [status, { integrationToken: "i-1" }, headers];
    const answer = await ask("POST", INTEGRATION);
    const values = names.map((name) => answer.headers.get(name)?.replace(/^[0-9a-f-]{36}$/, OWN) ?? null);
    assert.deepEqual(values.slice(0, heard.length), heard, JSON.stringify(headers));
  }
});

test("a check that gets 401 ends no connection that has no refresh token", async () => {
  const ask = caller(backEndOf());
  await ask("POST", INTEGRATION);
  answers[TOKEN] = [200, { accessToken: "a-1" }];
  await ask("GET", TOKEN, { token: "i-1" });
  answers["/v1/account"] = [401, { success: false }];
  // Another process, which has not asked yet.
  assert.equal((await caller(backEndOf())("GET", "/connection")).body.connected, true);
  assert.ok(calls.includes("GET /v1/account"));
});

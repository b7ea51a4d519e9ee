// The back end of docs/back-end.md, run as it stands there, before a real service: by itself, in Express, and in Hono.
// No browser: what it does is the same in all of them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import express from "express";
import { Hono } from "hono";
import { backEnd } from "../../relay/examples/back-end.mjs";
import { expressRoute } from "../../relay/examples/express.mjs";
import { honoRoute } from "../../relay/examples/hono.mjs";
import { decide } from "../rig/merchant.mjs";
import { Service } from "./support/service.js";

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const random = () => crypto.randomUUID().replaceAll("-", "");

/** What `db` has to do, in memory. */
class Database {
  rows = new Map();

  async own(till, token) {
    this.rows.set(token, { till, pickupId: random(), tokens: null, queue: Promise.resolve() });
  }

  async owns(till, token) {
    return this.rows.get(token)?.till === till;
  }

  locked(token, work) {
    const row = this.rows.get(token);
    const keep = async (tokens) => {
      row.tokens = tokens;
    };
    const done = row.queue.then(() => work({ pickupId: row.pickupId, tokens: row.tokens, keep }));
    row.queue = done.catch(() => {});
    return done;
  }
}

/** The way to the service; loses the answers that a test names. */
class Way {
  calls = [];
  lose = [];

  async start(serviceUrl) {
    this.server = createServer(async (request, response) => {
      const answer = await fetch(serviceUrl + request.url, { method: request.method });
      const body = await answer.text();
      const { pathname } = new URL(request.url, serviceUrl);
      this.calls.push(`${request.method} ${pathname} ${answer.status}`);
      if (this.lose[0] === pathname) {
        this.lose.shift();
        response.destroy();
      } else
        response
          .writeHead(answer.status, {
            "content-type": "application/json",
            "x-request-id": answer.headers.get("x-request-id"),
            "retry-after": "7",
          })
          .end(answer.status === 204 ? undefined : body);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => this.server.once("listening", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }
}

/** Who calls is what its header says; nobody without one. */
const tillOf = (get) => get("x-till") ?? null;

/** Each answers a `Request`. */
const WAYS = {
  "by itself": (options) => {
    const handle = backEnd(options);
    const unknown = () => Response.json({ success: false, code: "invalid_till" }, { status: 401 });
    return async (request) => {
      const till = tillOf((name) => request.headers.get(name));
      return till ? handle(request, till) : unknown();
    };
  },
  "in Express": async (options) => {
    const app = express();
    app.all("/*path", expressRoute({ ...options, tillOf: (request) => tillOf((name) => request.get(name)) }));
    const server = app.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    servers.push(server);
    const { port } = server.address();
    return ({ url, method, headers }) => {
      const { pathname, search } = new URL(url);
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { method, headers });
    };
  },
  "in Hono": (options) => {
    const app = new Hono();
    app.all("/*", honoRoute({ ...options, tillOf: (request) => tillOf((name) => request.header(name)) }));
    return (request) => app.fetch(request);
  },
};

const servers = [];
let service, db, way, handle;
before(
  async () => {
    service = await Service.start();
    db = new Database();
    way = new Way();
    await way.start(service.settings.baseUrl);
  },
  { timeout: 60_000 },
);
after(
  async () => {
    for (const server of [way?.server, ...servers]) server?.close();
    await service?.stop();
  },
  { timeout: 30_000 },
);

/** A till's call, as the SDK makes it: without the secret. */
async function ask(method, path, integration_token, till = "till 1") {
  const { clientId, clientSecret } = service.settings;
  const query = new URLSearchParams({ client_id: clientId, ...(integration_token && { integration_token }) });
  const url = `https://pos-vendor.example${path}?${query}`;
  const response = await handle(new Request(url, { method, headers: till === null ? {} : { "x-till": till } }));
  const text = await response.text();
  if (till) {
    assert.match(response.headers.get("content-type"), /^application\/json(; charset=utf-8)?$/);
    assert.equal(response.headers.get("cache-control"), "no-store");
  }
  ask.last = response.headers;
  assert.ok(!text.includes(clientSecret) && !/pc[ar]_/.test(text), "A secret or a token in an answer.");
  return { status: response.status, body: text ? JSON.parse(text) : null };
}

async function finished() {
  const created = await ask("POST", INTEGRATION);
  assert.equal(created.status, 200);
  const token = created.body.integrationToken;
  const end = await decide(service.settings, new URLSearchParams({ integration_token: token, ereceipts: "1" }));
  assert.equal(end.state, "finished");
  return token;
}

/** The tokens that were kept work. */
async function works(token) {
  const { accessToken } = db.rows.get(token).tokens;
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${service.settings.baseUrl}/v1/account`, { headers });
  assert.equal(response.status, 200);
}

for (const [name, make] of Object.entries(WAYS)) {
  describe(name, () => {
    before(async () => {
      const { clientId, clientSecret } = service.settings;
      handle = await make({ serviceUrl: way.url, clientId, clientSecret, db });
    });

    test("the four calls: create, status, tokens, cancel", async () => {
      const token = await finished();
      assert.deepEqual(await ask("GET", INTEGRATION, token), {
        status: 200,
        body: { success: true, status: "finished" },
      });
      const held = await ask("GET", TOKEN, token);
      assert.deepEqual(
        [held.status, Object.keys(held.body).sort()],
        [200, ["account", "ereceipt", "expiration", "held", "success"]],
      );
      assert.deepEqual([held.body.held, held.body.ereceipt, held.body.account.name], [true, true, "Demo Bakery"]);
      assert.deepEqual(await ask("GET", TOKEN, token), held, "asked again, the answer is the same");
      await works(token);

      const other = (await ask("POST", INTEGRATION)).body.integrationToken;
      assert.deepEqual((await ask("GET", TOKEN, other)).body.code, "integration_pending");
      // What the SDK puts into its errors.
      assert.equal(ask.last.get("retry-after"), "7");
      assert.match(ask.last.get("x-request-id"), /^\S{8,}$/);
      assert.deepEqual(await ask("DELETE", INTEGRATION, other), { status: 204, body: null });
      assert.equal((await ask("GET", INTEGRATION, other)).body.status, "cancelled");
    });

    test("a lost answer is cured, and the tokens are given once however many ask", async () => {
      const token = await finished();
      way.calls.length = 0;
      way.lose.push(TOKEN);
      assert.equal((await ask("GET", TOKEN, token)).status, 502, "the first answer was lost");
      const answers = await Promise.all([1, 2, 3].map(() => ask("GET", TOKEN, token)));
      for (const answer of answers) assert.deepEqual([answer.status, answer.body.held], [200, true]);
      assert.deepEqual(way.calls, [`GET ${TOKEN} 200`, `GET ${TOKEN} 410`, `POST ${TOKEN}/reissue 200`]);
      await works(token);
    });

    test("another till gets nothing, and no other path of the service can be called", async () => {
      const token = await finished();
      way.calls.length = 0;
      for (const [method, path] of [
        ["GET", INTEGRATION],
        ["GET", TOKEN],
        ["DELETE", INTEGRATION],
      ]) {
        assert.deepEqual(await ask(method, path, token, "till 2"), {
          status: 403,
          body: { success: false, code: "invalid_integration" },
        });
      }
      for (const path of ["/v1/account", `${TOKEN}/reissue`, "/connect", `${INTEGRATION}/`])
        assert.equal((await ask("GET", path, token)).status, 404);
      for (const [method, path] of [
        ["DELETE", TOKEN],
        ["POST", TOKEN],
        ["PUT", INTEGRATION],
      ]) {
        assert.equal((await ask(method, path, token)).status, 405);
      }
      for (const path of [INTEGRATION, TOKEN]) assert.equal((await ask("GET", path, token, null)).status, 401);
      assert.deepEqual(way.calls, []);
    });
  });
}

test("the docs show these very files", async () => {
  const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
  const page = await read("docs/back-end.md");
  const fences = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  for (const name of ["back-end", "express", "hono"]) {
    const path = `relay/examples/${name}.mjs`;
    assert.ok(fences.includes(await read(path)), `No fence of docs/back-end.md is ${path}.`);
  }
});

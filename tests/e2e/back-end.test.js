// @engines chromium: it opens no browser
// The back end of docs/back-end.md and its adapters, run as they stand in relay/examples, before a real service.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import express from "express";
import { Hono } from "hono";
import { backEnd } from "../../relay/examples/back-end.mjs";
import { addBackEnd as addToExpress } from "../../relay/examples/express.mjs";
import { addBackEnd as addToHono } from "../../relay/examples/hono.mjs";
import { decide } from "../rig/merchant.mjs";
import { Service } from "./support/service.js";
import { listening, Way } from "./support/way.js";

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const PAGE = "https://till.example";
const TILLS = { "Bearer key-1": "till 1", "Bearer key-2": "till 2" };
const random = () => crypto.randomUUID().replaceAll("-", "");

/** Serves what answers a `Request` with a `Response`. */
const serve = (answer) =>
  createServer(async (incoming, outgoing) => {
    const request = new Request(new URL(incoming.url, "http://localhost"), {
      method: incoming.method,
      headers: incoming.headers,
    });
    const response = await answer(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });

const tillOf = async (authorization) => TILLS[authorization] ?? null;
const SERVERS = {
  "node:http": (options) => {
    const handle = backEnd(options);
    return serve(async (request) => handle(request, await tillOf(request.headers.get("authorization"))));
  },
  Express: (options) => createServer(addToExpress(express(), { ...options, tillOf })),
  Hono: (options) => serve(addToHono(new Hono(), { ...options, tillOf }).fetch),
};

/** What `db` means in the example, in memory. */
class Database {
  rows = new Map();
  full = false;

  async own(till, token) {
    this.rows.set(token, { till, pickupId: random(), kept: null, queue: Promise.resolve() });
  }

  async owns(till, token) {
    return this.rows.get(token)?.till === till;
  }

  locked(token, work) {
    const row = this.rows.get(token);
    const keep = async (tokens) => {
      if (this.full) throw new Error("The disk is full.");
      row.kept = tokens;
    };
    const done = row.queue.then(() => work({ pickupId: row.pickupId, kept: row.kept, keep }));
    row.queue = done.catch(() => {});
    return done;
  }
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
    let db, server, errors;
    const start = (more) => {
      const { clientId, clientSecret } = service.settings;
      return listening(
        serverOf({
          serviceUrl: `${way.url}/`,
          client_id: clientId,
          client_secret: clientSecret,
          db,
          onError: (error) => errors.push(error),
          ...more,
        }),
      );
    };
    before(async () => {
      db = new Database();
      server = await start({ origins: [PAGE] });
    });
    after(() => {
      server?.close();
      server?.closeAllConnections();
    });
    beforeEach(() => {
      errors = [];
      way.calls.length = 0;
      way.faults = {};
      db.full = false;
    });

    /** A till's call, as the SDK makes it: without the secret, with what proves which till it is. */
    async function ask(method, path, integration_token, { key = "key-1", headers, url = server.url } = {}) {
      const query = new URLSearchParams({
        client_id: service.settings.clientId,
        ...(integration_token && { integration_token }),
      });
      const response = await fetch(`${url}${path}?${query}`, {
        method,
        headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
      });
      const text = await response.text();
      assert.ok(
        !text.includes(service.settings.clientSecret) && !/pc[ar]_/.test(text),
        "A secret or a token in an answer.",
      );
      assert.equal(response.headers.get("set-cookie"), null, "A header of the service that is not for the till.");
      ask.last = response.headers;
      if (response.headers.get("content-type") !== "application/json") return { status: response.status, body: null };
      assert.equal(response.headers.get("cache-control"), "no-store");
      return { status: response.status, body: text ? JSON.parse(text) : null };
    }

    async function finished() {
      const created = await ask("POST", INTEGRATION);
      assert.equal(created.status, 200);
      const token = created.body.integrationToken;
      const end = await decide(service.settings, new URLSearchParams({ integration_token: token, ereceipts: "1" }));
      assert.equal(end.state, "finished");
      way.calls.length = 0;
      return token;
    }

    /** The tokens that were kept work. */
    async function works(token) {
      const { accessToken } = db.rows.get(token).kept;
      const response = await fetch(`${service.settings.baseUrl}/v1/account`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      assert.equal(response.status, 200);
    }

    /** A call that the back end could not answer. What it tells and reports holds no secret, no token and no URL. */
    async function fails(method, path, token, reported) {
      errors.length = 0;
      assert.deepEqual(await ask(method, path, token), { status: 502, body: { code: "upstream_unavailable" } });
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
      await works(token);

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
      await works(token);
    });

    test("tokens that were not stored are not answered, and not lost", async () => {
      const token = await finished();
      db.full = true;
      await fails("GET", TOKEN, token, "The disk is full.");
      db.full = false;
      assert.equal((await ask("GET", TOKEN, token)).body.held, true);
      await works(token);
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
      assert.equal(db.rows.get(token).kept, null);
      assert.equal((await ask("GET", TOKEN, token)).body.held, true);
      await works(token);
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
      for (const [method, path] of [
        ["GET", INTEGRATION],
        ["GET", TOKEN],
        ["DELETE", INTEGRATION],
      ]) {
        assert.deepEqual(await ask(method, path, token, { key: "key-2" }), {
          status: 403,
          body: { code: "invalid_integration" },
        });
        assert.deepEqual(await ask(method, path), { status: 403, body: { code: "invalid_integration" } });
        assert.deepEqual(await ask(method, path, token, { key: "key-3" }), {
          status: 401,
          body: { code: "unauthorized" },
        });
      }
      assert.deepEqual(await ask("POST", INTEGRATION, undefined, { key: null }), {
        status: 401,
        body: { code: "unauthorized" },
      });
      for (const path of ["/v1/account", `${TOKEN}/reissue`, "/connect", `${INTEGRATION}/`])
        assert.equal((await ask("GET", path, token)).status, 404);
      for (const [method, path, allow] of [
        ["PUT", INTEGRATION, "GET, POST, DELETE"],
        ["POST", TOKEN, "GET"],
        ["DELETE", TOKEN, "GET"],
      ]) {
        assert.deepEqual(await ask(method, path, token), { status: 405, body: { code: "method_not_allowed" } });
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

test("a back end whose address of the service is none does not start", () => {
  assert.throws(() => backEnd({ serviceUrl: "auth.example.com" }), { code: "ERR_INVALID_URL" });
});

test("the docs name these very files", async () => {
  const folder = new URL("../../relay/examples/", import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".mjs")).sort();
  assert.deepEqual(files, ["back-end.mjs", "express.mjs", "hono.mjs"]);
  const page = await readFile(new URL("../../docs/back-end.md", import.meta.url), "utf8");
  for (const file of files) assert.ok(page.includes(`\`relay/examples/${file}\``), `docs/back-end.md: no ${file}`);
});

test("the page's own block adds a back end to either framework", { timeout: 180_000 }, async () => {
  const page = await readFile(new URL("../../docs/back-end.md", import.meta.url), "utf8");
  const [, block] = /^Add either one like this[^`]*(?:`\w+`[^`]*)*^```js\n(.*?)^```$/ms.exec(page);
  const { clientId, clientSecret } = service.settings;
  const here = block.replace("https://auth.example.com", way.url).replace("your-client-id", clientId);
  const add = new Function("addBackEnd", "app", "findTill", "db", "process", `return ${here}`);
  const environment = { env: { POS_CONNECT_CLIENT_SECRET: clientSecret } };
  for (const serverOf of [
    () => createServer(add(addToExpress, express(), tillOf, new Database(), environment)),
    () => serve(add(addToHono, new Hono(), tillOf, new Database(), environment).fetch),
  ]) {
    const server = await listening(serverOf());
    try {
      const create = (key) =>
        fetch(server.url + INTEGRATION, { method: "POST", headers: { authorization: key, origin: PAGE } });
      const created = await create("Bearer key-1");
      assert.equal(created.status, 200);
      assert.equal(created.headers.get("access-control-allow-origin"), PAGE);
      assert.ok((await created.json()).integrationToken);
      assert.equal((await create("Bearer wrong")).status, 401);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }
});

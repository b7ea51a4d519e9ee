// The back end of docs/back-end.md, run as it stands there, before a real service. No browser: what it does is the same in all of them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { backEnd } from "../../relay/examples/back-end.mjs";
import { decide } from "../rig/merchant.mjs";
import { Service } from "./support/service.js";

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const random = () => crypto.randomUUID().replaceAll("-", "");

/** What "yours" means in the snippet, in memory. */
class Database {
  rows = new Map();

  async own(till, answer) {
    if (answer[0] === 200) this.rows.set(answer[1].integrationToken, { till, pickupId: random(), kept: null, queue: Promise.resolve() });
    return answer;
  }

  async owns(till, token) {
    return this.rows.get(token)?.till === till;
  }

  locked(token, work) {
    const row = this.rows.get(token);
    const keep = async (tokens) => { row.kept = tokens; };
    const done = row.queue.then(() => work({ pickupId: row.pickupId, kept: row.kept, keep }));
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
      } else response.writeHead(answer.status, { "content-type": "application/json", "x-request-id": answer.headers.get("x-request-id"), "retry-after": "7" }).end(answer.status === 204 ? undefined : body);
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => this.server.once("listening", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }
}

let service, db, way, handle;
before(async () => {
  service = await Service.start();
  db = new Database();
  way = new Way();
  await way.start(service.settings.baseUrl);
  const { clientId, clientSecret } = service.settings;
  handle = backEnd({ serviceUrl: way.url, client_id: clientId, client_secret: clientSecret, db });
}, { timeout: 60_000 });
after(async () => {
  way?.server.close();
  await service?.stop();
}, { timeout: 30_000 });

/** A till's call, as the SDK makes it: without the secret. */
async function ask(method, path, integration_token, till = "till 1") {
  const query = new URLSearchParams({ client_id: service.settings.clientId, ...(integration_token && { integration_token }) });
  const response = await handle(new Request(`https://pos-vendor.example${path}?${query}`, { method }), till);
  const text = await response.text();
  assert.deepEqual([response.headers.get("content-type"), response.headers.get("cache-control")], ["application/json", "no-store"]);
  ask.last = response.headers;
  assert.ok(!text.includes(service.settings.clientSecret) && !/pc[ar]_/.test(text), "A secret or a token in an answer.");
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
  const [, { accessToken }] = db.rows.get(token).kept;
  const response = await fetch(`${service.settings.baseUrl}/v1/account`, { headers: { authorization: `Bearer ${accessToken}` } });
  assert.equal(response.status, 200);
}

test("the four calls: create, status, tokens, cancel", async () => {
  const token = await finished();
  assert.deepEqual(await ask("GET", INTEGRATION, token), { status: 200, body: { success: true, status: "finished" } });
  const held = await ask("GET", TOKEN, token);
  assert.deepEqual([held.status, Object.keys(held.body).sort()], [200, ["account", "ereceipt", "expiration", "held", "success"]]);
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
  await assert.rejects(ask("GET", TOKEN, token), "The first answer was not lost.");
  const answers = await Promise.all([1, 2, 3].map(() => ask("GET", TOKEN, token)));
  for (const answer of answers) assert.deepEqual([answer.status, answer.body.held], [200, true]);
  assert.deepEqual(way.calls, [`GET ${TOKEN} 200`, `GET ${TOKEN} 410`, `POST ${TOKEN}/reissue 200`]);
  await works(token);
});

test("another till gets nothing, and no other path of the service can be called", async () => {
  const token = await finished();
  way.calls.length = 0;
  for (const [method, path] of [["GET", INTEGRATION], ["GET", TOKEN], ["DELETE", INTEGRATION]]) {
    assert.deepEqual(await ask(method, path, token, "till 2"), { status: 403, body: { code: "invalid_integration" } });
  }
  for (const path of ["/v1/account", `${TOKEN}/reissue`, "/connect", `${INTEGRATION}/`]) assert.equal((await ask("GET", path, token)).status, 404);
  assert.deepEqual(way.calls, []);
});

test("the docs show this very file", async () => {
  const [page, file] = await Promise.all(["docs/back-end.md", "relay/examples/back-end.mjs"].map((path) => readFile(new URL(`../../${path}`, import.meta.url), "utf8")));
  const fences = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  assert.ok(fences.includes(file), "No fence of docs/back-end.md is relay/examples/back-end.mjs.");
  assert.ok(file.trimEnd().split("\n").length <= 20);
});

// @tier first
// @engines chromium: no browser is opened
// The service of pos-connect/testing, by the calls that the package makes; the package itself over it is in
// behavior-node.test.js.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { http } from "msw";
import { setupServer } from "msw/node";
import { ORDER } from "./behavior/case.js";
import { newProject } from "./project.js";

const INTEGRATION = "/v1/auth/integration";

let project, fakeService, PosConnect;
before(async () => {
  project = await newProject();
  const load = (file) => import(pathToFileURL(`${project.folder}/node_modules/pos-connect/${file}`));
  ({ fakeService } = await load("testing/index.js"));
  ({ PosConnect } = await load("inline.js"));
});
after(() => project.remove());

/** Status and body of a call. */
async function call(service, method, path, { query = {}, body, headers } = {}) {
  const url = `${service.options.baseUrl}${path}?${new URLSearchParams(query)}`;
  const response = await service.fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

async function created(service, proof) {
  const { body } = await call(service, "POST", INTEGRATION, { query: { client_id: "till", ...proof } });
  return { client_id: "till", ...proof, integration_token: body.integrationToken };
}

const order = (service, body, key) =>
  call(service, "POST", "/v1/orders", { body, headers: { "Idempotency-Key": key } });

test("the service gives the tokens once, then answers 410", async () => {
  const service = fakeService({ connect: "pending" });
  const query = await created(service, { client_secret: "hunter2" });
  const ask = (path = "") => call(service, "GET", INTEGRATION + path, { query });
  assert.deepEqual((await ask()).body, { success: true, status: "pending", interval: 1 });
  assert.equal((await ask("/token")).status, 409);
  service.decide({ ereceipt: false });
  assert.equal((await ask()).body.status, "finished");
  const first = await ask("/token");
  assert.deepEqual([first.status, typeof first.body.refreshToken, first.body.ereceipt], [200, "string", false]);
  const { status, body } = await ask("/token");
  assert.deepEqual([status, body.success, body.code], [410, false, "tokens_already_retrieved"]);
});

test("the relay keeps the tokens, repeats that, and knows the connection until it ends", async () => {
  const service = fakeService({ connect: { account: { id: "a-1", name: "Bakery" } } });
  const connection = async () => (await call(service, "GET", "/connection")).body;
  assert.deepEqual(await connection(), { success: true, connected: false });
  const query = await created(service);
  for (const attempt of [1, 2]) {
    const { body } = await call(service, "GET", `${INTEGRATION}/token`, { query });
    assert.deepEqual([body.held, body.accessToken, body.account.name], [true, undefined, "Bakery"], attempt);
  }
  assert.deepEqual([(await connection()).connected, (await connection()).ereceipt], [true, true]);
  service.endConnection();
  assert.equal((await connection()).connected, false);
  assert.equal((await order(service, ORDER, "1")).body.code, "connection_ended");
});

test("a revoked token ends its own token set, and not the one that came after it", async () => {
  const service = fakeService();
  const tokens = async () => {
    const query = await created(service, { client_secret: "hunter2" });
    return (await call(service, "GET", `${INTEGRATION}/token`, { query })).body;
  };
  const revoke = ({ refreshToken: token }) =>
    service.fetch("https://relay.example/v1/auth/revoke", { method: "POST", body: new URLSearchParams({ token }) });
  const isConnected = async () => (await call(service, "GET", "/connection")).body.connected;
  const [first, second] = [await tokens(), await tokens()];
  assert.equal((await revoke(first)).status, 200);
  assert.equal(await isConnected(), true);
  await revoke(second);
  assert.equal(await isConnected(), false);
});

test("an integration that nobody created is refused, and one that is finished is not cancelled", async () => {
  const service = fakeService({ connect: ["finished", "pending"] });
  const remove = (query) => call(service, "DELETE", INTEGRATION, { query });
  assert.equal((await remove({ integration_token: "no such" })).status, 403);
  assert.equal((await remove(await created(service))).status, 409);
  assert.equal((await remove({ client_id: "another" })).body.code, "invalid_client");
  const query = await created(service);
  assert.equal((await remove(query)).status, 204);
  assert.equal((await call(service, "GET", INTEGRATION, { query })).body.status, "cancelled");
});

test("the same key is the same call, and the same sale one order", async () => {
  const service = fakeService({ connection: { ereceipt: false } });
  const first = await order(service, ORDER, "1");
  const again = await order(service, ORDER, "1");
  assert.deepEqual([first.status, again.body], [200, first.body]);
  assert.deepEqual([first, again].map(({ headers }) => headers.get("idempotent-replayed")), [null, "true"]);
  assert.equal((await order(service, { ...ORDER, total: 7 }, "1")).status, 422);
  assert.equal((await order(service, { ...ORDER, total: 7 }, "2")).status, 409);
  assert.equal((await order(service, { ...ORDER, ereceipt: { phone: "+972502345678" } }, "3")).status, 403);
  assert.deepEqual((await call(service, "GET", "/v1/orders/1041")).body, first.body);
  assert.equal((await call(service, "GET", "/v1/orders/1042")).status, 404);
});

test("another one goes on from what is kept, in which no shopper's number is", async () => {
  const before = fakeService({ connect: ["pending", "finished"] });
  const pending = await created(before);
  await call(before, "GET", `${INTEGRATION}/token`, { query: await created(before) });
  await order(before, { ...ORDER, ereceipt: { phone: "+972502345678" } }, "1");
  await call(before, "PATCH", "/v1/store", { body: { phone: "03-5550100" } });
  const kept = JSON.stringify(before.state);
  assert.doesNotMatch(kept, /502345678/);
  const service = fakeService({ state: JSON.parse(kept) });
  assert.equal((await call(service, "GET", INTEGRATION, { query: pending })).body.status, "pending");
  assert.equal((await call(service, "GET", "/v1/orders/1041")).body.ereceipt, "queued");
  assert.equal((await call(service, "GET", "/v1/store")).body.profile.phone, "03-5550100");
  service.endConnection();
  const ended = fakeService({ state: service.state });
  assert.equal((await order(ended, ORDER, "2")).body.code, "connection_ended");
});

test("a call that is answered by script, and one that the caller gives up", async () => {
  const unwell = new Response("busy", { status: 503 });
  const service = fakeService({ connection: {}, calls: { "GET /v1/store": [unwell, "network", "timeout"] } });
  const ask = (signal) => service.fetch("https://relay.example/v1/store", { signal });
  assert.equal(await (await ask()).text(), "busy");
  await assert.rejects(ask(), TypeError);
  const stop = new AbortController();
  const asked = ask(stop.signal);
  stop.abort();
  await assert.rejects(asked, { name: "AbortError" });
  assert.deepEqual(service.requests.map(({ path }) => path), Array(3).fill("/v1/store"));
  assert.throws(() => service.script({ orders: "closed" }), /closed/);
});

test("what is for somebody else goes to the fetch that was there", async () => {
  const { fetch } = globalThis;
  globalThis.fetch = async (input) => new Response(`real ${input}`);
  const service = fakeService();
  globalThis.fetch = fetch;
  const url = "https://relay.example.org/v1/store";
  assert.equal(await (await service.fetch(url)).text(), `real ${url}`);
  assert.deepEqual(service.requests, []);
});

test("the connect page is answered, too", async () => {
  const service = fakeService({ connect: "pending" });
  const { integration_token } = await created(service);
  const page = `${service.options.connectUrl}?integration_token=${integration_token}&client_id=till`;
  assert.equal(await (await service.fetch(page)).text(), service.connectPage);
  const press = async (fields) => {
    const answer = await service.fetch(page, { method: "POST", body: new URLSearchParams(fields) });
    return (await answer.json()).page;
  };
  const pages = [await press({}), await press({ action: "sign-in" }), await press({ action: "connect" })];
  assert.deepEqual(pages, ["sign-in", "consent", "finished"]);
});

test("MSW hands the package's calls to it", async () => {
  const service = fakeService({ connection: {} });
  const server = setupServer(...service.handlers(http));
  server.listen({ onUnhandledRequest: "error" });
  try {
    const pos = await PosConnect.create(service.options);
    assert.equal((await pos.store.update({ name: "Bakery" })).profile.name, "Bakery");
    assert.deepEqual(service.requests.at(-1).body, { name: "Bakery" });
    pos.destroy();
  } finally {
    server.close();
  }
});

// @engines chromium: it opens no browser
// Tokens, orders and the connection through a vendor's back end in each kind of server, and through the relay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { INTEGRATION, REVOKE, TOKEN, inEachBackEnd, inEachServer, merchant, service, way } from "./support/back-end.js";

const REFRESH = "/v1/auth/token";

inEachBackEnd(({ ask, connected, finished, order }) => {
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

    const other = (await ask("POST", INTEGRATION)).body.integrationToken;
    assert.deepEqual((await ask("GET", TOKEN, other)).body.code, "integration_pending");
    // What the SDK puts into its errors.
    assert.match(ask.last.get("x-request-id"), /^\S{8,}$/);
    assert.match(ask.last.get("content-type"), /^application\/(problem\+)?json$/);
    assert.deepEqual(await ask("DELETE", INTEGRATION, other), { status: 204, body: null });
    assert.equal(ask.last.get("cache-control"), "no-store");
    assert.equal((await ask("GET", INTEGRATION, other)).body.status, "cancelled");
  });

  test("a lost answer costs no tokens, and they are given once however many ask", async () => {
    const token = await finished();
    way.faults[TOKEN] = ["lost"];
    await ask("GET", TOKEN, token);
    const answers = await Promise.all([1, 2, 3].map(() => ask("GET", TOKEN, token)));
    for (const answer of answers) assert.deepEqual([answer.status, answer.body.held], [200, true]);
    assert.deepEqual(way.calls, [`GET ${TOKEN} 200`, `GET ${TOKEN} 410`, `POST ${TOKEN}/reissue 200`]);
    assert.equal((await ask("POST", "/v1/orders", undefined, order())).status, 200);
  });

  test("another account is not taken in the place of the merchant's", async () => {
    await connected();
    const other = await ask("GET", TOKEN, await finished({ store: "1" }));
    assert.deepEqual([other.status, other.body.code], [409, "other_account"]);
    assert.equal((await ask("POST", "/v1/orders", undefined, order())).status, 200, "the connection so far");
  });

  test("orders, customers and the profile go through, each till's orders apart", async () => {
    assert.equal((await ask("POST", "/v1/orders", undefined, order())).body.code, "not_connected");
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
  });

  test("every till of the merchant sees the connection, and ends it", async () => {
    assert.deepEqual((await ask("GET", "/connection")).body, { success: true, connected: false });
    await connected();
    const { body } = await ask("GET", "/connection", undefined, { key: "key-2" });
    assert.deepEqual([body.connected, body.ereceipt, body.account.name], [true, true, "Demo Bakery"]);
    assert.equal((await ask("DELETE", "/connection", undefined, { key: "key-2" })).status, 204);
    assert.deepEqual((await ask("GET", "/connection")).body, { success: true, connected: false });
    assert.equal((await ask("POST", "/v1/orders", undefined, order())).body.code, "connection_ended");
  });
});

inEachServer(({ account, ask, connected, errors, fails, finished, kept, order, revoked, start, storage }) => {
  test("the service's Retry-After goes to the till, and no call leaves without a connection", async () => {
    const token = (await ask("POST", INTEGRATION)).body.integrationToken;
    assert.equal((await ask("GET", TOKEN, token)).body.code, "integration_pending");
    assert.equal(ask.last.get("retry-after"), "7");
    way.calls.length = 0;
    await ask("POST", "/v1/orders", undefined, order());
    assert.deepEqual(way.calls, []);
  });

  test("a call whose answer was lost is a 502", async () => {
    way.faults[TOKEN] = ["lost"];
    await fails("GET", TOKEN, await finished(), new RegExp(`^GET ${TOKEN}: (UND_ERR_SOCKET|ECONNRESET)$`));
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

  test("a service that could not be told of the end is told later", async () => {
    await connected();
    const { accessToken } = await kept();
    way.faults[REVOKE] = ["lost"];
    assert.equal((await ask("DELETE", "/connection")).status, 204);
    assert.equal(errors.length, 1, "the service was not told");
    assert.equal((await ask("GET", "/connection")).body.connected, false);
    await revoked();
    assert.equal(await account(accessToken), 401);
  });

  test("a merchant who connects again has one token set, and the same store", async () => {
    await connected();
    const { accessToken } = await kept();
    await connected();
    await revoked();
    assert.deepEqual([await account(accessToken), await account()], [401, 200]);

    const open = await start({ mayChangeAccount: async (name) => name === merchant });
    try {
      const allowed = await ask("GET", TOKEN, await finished({ store: "1" }), { url: open.url });
      assert.equal(allowed.status, 200);
    } finally {
      open.close();
      open.closeAllConnections();
    }
  });

  test("a service that hangs is given up after ten seconds", async (t) => {
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
});

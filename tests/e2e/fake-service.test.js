// @tier first
// @engines chromium: no browser is opened
// The fake service of pos-connect/testing answers as the real service and the real relay do: the same calls give the
// same statuses and codes, and no member that theirs have not.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { MESSAGE, ORDER } from "../package/behavior/case.js";
import { decide } from "../rig/merchant.mjs";
import { pathFrom } from "./support/environment.js";
import { Service } from "./support/service.js";

const { fakeService } = await import(pathToFileURL(join(pathFrom("POS_PACKAGE_DIR"), "testing/index.js")));

const INTEGRATION = "/v1/auth/integration";
const types = (body) => Object.fromEntries(Object.entries(body).map(([name, value]) => [name, typeof value]));

/** What the real answer says of the members that the fake's has. */
const common = (real, fake) => Object.fromEntries(Object.keys(fake ?? {}).map((name) => [name, real[name]]));

/** Calls one side, and keeps what its answers look like. */
class Caller {
  seen = [];
  #side;

  constructor(side) {
    this.#side = side;
  }

  async call(method, path, { token, body, headers } = {}) {
    const { baseUrl, clientId, clientSecret, tillKey, fetch } = this.#side;
    const url = new URL(baseUrl + path);
    url.searchParams.set("client_id", clientId);
    if (clientSecret) url.searchParams.set("client_secret", clientSecret);
    if (token) url.searchParams.set("integration_token", token);
    const isOperation = !path.startsWith("/v1/auth/");
    if (isOperation) url.search = "";
    const key = tillKey ?? (isOperation && this.accessToken);
    const proof = key ? { authorization: `Bearer ${key}` } : {};
    const kind = body && { "content-type": "application/json" };
    const init = { method, body: body && JSON.stringify(body), headers: { ...proof, ...kind, ...headers } };
    const response = await fetch(url.href, init);
    const text = await response.text();
    const answer = text ? JSON.parse(text) : {};
    const { status, ok } = response;
    const said = ok ? response.headers.get("idempotent-replayed") : answer.code;
    this.seen.push({ call: `${method} ${path}`, status, said, body: types(answer) });
    return answer;
  }

  /** From the first call to the end of the connection. */
  async all() {
    const { isRelay, consent } = this.#side;
    if (isRelay) await this.call("GET", "/connection");
    const { integrationToken: cancelled } = await this.call("POST", INTEGRATION);
    await this.call("DELETE", INTEGRATION, { token: cancelled });
    await this.call("GET", INTEGRATION, { token: cancelled });
    await this.call("GET", `${INTEGRATION}/token`, { token: cancelled });
    const { integrationToken: token } = await this.call("POST", INTEGRATION);
    await this.call("GET", INTEGRATION, { token });
    await this.call("GET", `${INTEGRATION}/token`, { token });
    await this.call("GET", INTEGRATION, { token: `${token}x` });
    await consent(token);
    await this.call("GET", INTEGRATION, { token });
    await this.call("DELETE", INTEGRATION, { token });
    this.accessToken = (await this.call("GET", `${INTEGRATION}/token`, { token })).accessToken;
    await this.call("GET", `${INTEGRATION}/token`, { token });
    if (isRelay) await this.call("GET", "/connection");
    await this.#operations();
    if (!isRelay) return;
    await this.call("DELETE", "/connection");
    await this.call("GET", "/connection");
    await this.#order("5", ORDER);
  }

  async #operations() {
    await this.#order("1", ORDER);
    await this.#order("1", ORDER);
    await this.#order("1", { ...ORDER, total: 7 });
    await this.#order("2", { ...ORDER, total: 7 });
    await this.#order("3", { ...MESSAGE, externalId: "1042" });
    await this.call("GET", "/v1/orders/1041");
    await this.call("GET", "/v1/orders/1043");
    await this.call("PATCH", "/v1/store", { body: { name: "Market Street" } });
    await this.call("GET", "/v1/store");
    await this.call("POST", "/v1/customers", { body: { customers: [{ externalId: "c-7" }] } });
    await this.call("GET", "/v1/keys");
  }

  #order(key, body) {
    return this.call("POST", "/v1/orders", { body, headers: { "idempotency-key": key } });
  }
}

for (const isRelay of [false, true]) {
  test(isRelay ? "as the relay" : "as the service", async () => {
    const service = await Service.start({ relay: isRelay, interval: 0 });
    try {
      const { settings, relay } = service;
      const consent = (token) => decide(settings, new URLSearchParams({ integration_token: token }));
      const proof = isRelay ? { tillKey: relay.tillKey } : { clientSecret: settings.clientSecret };
      const baseUrl = isRelay ? relay.url : settings.baseUrl;
      const real = new Caller({ isRelay, consent, baseUrl, clientId: settings.clientId, ...proof, fetch });
      await real.all();
      const fake = fakeService({ connect: "pending" });
      const same = { consent: () => fake.decide({ ereceipt: false }), fetch: fake.fetch };
      const double = new Caller({ isRelay, ...fake.options, ...proof, ...same });
      await double.all();
      const shared = real.seen.map((answer, at) => ({ ...answer, body: common(answer.body, double.seen[at]?.body) }));
      assert.deepEqual(double.seen, shared);
    } finally {
      await service.stop();
    }
  });
}

// A vendor's back end before a real service: by `pos-connect/server` in each kind of Node server, or the relay.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, beforeEach, describe } from "node:test";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { createBackEnd, memoryStorage } from "../../../pkg-template/server/index.js";
import { decide } from "../../rig/merchant.mjs";
import { freePort, PATIENTLY } from "./process.js";
import { Relay } from "./relay.js";
import { Service } from "./service.js";
import { eventually } from "./wait.js";
import { listening, Way } from "./way.js";

export const INTEGRATION = "/v1/auth/integration";
export const TOKEN = `${INTEGRATION}/token`;
export const REVOKE = "/v1/auth/revoke";
export const PAGE = "https://till.example";
const TILLS = { "Bearer key-1": "till-1", "Bearer key-2": "till-2" };
/** Each test has a merchant of its own at the back end. */
export let merchant;
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
  Fastify: async (backEnd) => {
    // Without `frameworkErrors`, Fastify answers a path that cannot be decoded by itself. The SDK sends none.
    const frameworkErrors = (_, { raw }, reply) => void backEnd.middleware(raw, reply.raw);
    const app = fastify({ frameworkErrors });
    app.addHook("onRequest", ({ raw }, reply, done) => void backEnd.middleware(raw, reply.raw, done));
    await app.ready();
    return app.server;
  },
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

export let service;
export const way = new Way();
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

/** Has the tests defined for each kind of server, with what they need of its back end. */
export function inEachServer(define) {
  for (const [name, serverOf] of Object.entries(SERVERS)) describe(name, () => define(backEndIn(serverOf)));
}

/** Has the tests defined for the relay, too: what a till sees of either is the same. */
export function inEachBackEnd(define) {
  inEachServer(define);
  describe("relay", () => define(relayOfTests()));
}

function relayOfTests() {
  const keys = {};
  let folder, relay;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "pos-connect-relay-"));
    relay = await Relay.prepare(folder, await freePort());
    await relay.start({ ...service.settings, baseUrl: way.url, tillUrl: PAGE });
  });
  after(async () => {
    await relay?.stop();
    await rm(folder, PATIENTLY);
  });
  beforeEach(async () => {
    begin();
    for (const key of ["key-1", "key-2"]) keys[key] = await relay.addTill(merchant);
  });
  return callsTo(
    () => relay.url,
    (key) => keys[key],
  );
}

/** Another merchant, and a way without faults. */
function begin() {
  merchant = crypto.randomUUID();
  way.calls.length = 0;
  way.faults = {};
}

function backEndIn(serverOf) {
  const storage = storageOfTests();
  const errors = [];
  let server;
  const start = async (more) => {
    const { clientId, clientSecret } = service.settings;
    const onError = (error) => errors.push(error);
    const serviceUrl = `${way.url}/`;
    const backEnd = createBackEnd({ serviceUrl, clientId, clientSecret, storage, tillOf, onError, ...more });
    return listening(await serverOf(backEnd));
  };
  before(async () => {
    server = await start({ origins: [PAGE] });
  });
  after(() => {
    server?.close();
    server?.closeAllConnections();
  });
  beforeEach(() => {
    begin();
    errors.length = 0;
    storage.full = false;
  });
  const calls = callsTo(
    () => server.url,
    (key) => key,
  );
  const { ask } = calls;

  const kept = async () => (await storage.load(merchant)).connection;

  /** What the service says to the tokens that were kept. */
  async function account(accessToken) {
    const headers = { authorization: `Bearer ${accessToken ?? (await kept()).accessToken}` };
    const response = await fetch(`${service.settings.baseUrl}/v1/account`, { headers });
    return response.status;
  }

  /** Until nothing has to be revoked any more. */
  const revoked = () =>
    eventually(async () => (await storage.load(merchant)).spent.length === 0, "A token was not revoked.");

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
  return { ...calls, account, errors, fails, kept, revoked, start, storage };
}

/** What a till asks of a back end at `url()`. `keyOf`: the keys of its two tills, by their names here. */
function callsTo(url, keyOf) {
  /** A till's call, as the SDK makes it: without the secret, with what proves which till it is. */
  async function ask(method, path, integration_token, { key = "key-1", headers, url: base = url(), body } = {}) {
    const query = new URLSearchParams({
      client_id: service.settings.clientId,
      ...(integration_token && { integration_token }),
    });
    const response = await fetch(path.startsWith("/v1/auth/") ? `${base}${path}?${query}` : `${base}${path}`, {
      method,
      headers: { ...(key && { authorization: `Bearer ${keyOf(key) ?? key}` }), ...headers },
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

  async function connected(wishes) {
    assert.equal((await ask("GET", TOKEN, await finished(wishes))).status, 200);
    way.calls.length = 0;
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

  return { ask, connected, finished, order };
}

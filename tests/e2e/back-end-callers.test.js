// @engines chromium: it opens no browser
// Who may call a vendor's back end, from which pages, and how it is set up, in each kind of server.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import express from "express";
import { createBackEnd, memoryStorage } from "../../pkg-template/server/index.js";
import { INTEGRATION, PAGE, TOKEN, inEachServer, service, way } from "./support/back-end.js";
import { Service } from "./support/service.js";
import { listening } from "./support/way.js";

const METHODS = ["GET", "POST", "PATCH", "DELETE"];
const VALID = {
  serviceUrl: "https://auth.example.com",
  clientId: "vendor",
  clientSecret: "secret",
  storage: memoryStorage(),
  tillOf: () => null,
};
const EXPOSED = "Retry-After, X-Request-Id, Idempotent-Replayed, Test-Mode";

inEachServer(({ account, ask, finished, start }) => {
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
      assert.deepEqual([cors()[0], cors()[3], ask.last.get("vary")], [PAGE, EXPOSED, "Origin"]);
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

test("its calls are those of the relay that need a till's key, but for tokens that are handed out", async () => {
  const withRelay = await Service.start({ relay: true });
  const backEnd = createBackEnd(VALID);
  try {
    const { paths } = await (await fetch(`${withRelay.relay.url}/openapi.json`)).json();
    const theirs = Object.entries(paths).filter(([path]) => /^\/(v1|connection)\b/.test(path));
    assert.ok(theirs.length > 0);
    const differences = [];
    for (const [path, calls] of theirs) {
      const response = await backEnd.fetch(new Request(`http://localhost${path}`, { method: "PUT" }));
      const ours = response.headers.get("allow")?.split(", ").sort().join(" ");
      const methods = Object.keys(calls).map((name) => name.toUpperCase());
      const wanted = methods.filter((name) => METHODS.includes(name) && !(path === TOKEN && name === "DELETE"));
      if (ours !== wanted.sort().join(" ")) differences.push(`${path}: ${ours}, and not ${wanted.join(" ")}`);
    }
    assert.deepEqual(differences, []);
  } finally {
    await withRelay.stop();
  }
});

test("what cannot work does not start", () => {
  createBackEnd(VALID);
  for (const [bad, message] of [
    [{ serviceUrl: "auth.example.com" }, /Invalid URL/],
    [{ serviceUrl: "http://auth.example.com" }, /serviceUrl: https/],
    [{ serviceUrl: "http://127.0.0.1.example.com" }, /serviceUrl: https/],
    [{ clientSecret: undefined }, /clientSecret is missing/],
    [{ storage: undefined }, /storage is missing/],
    [{ origins: [`${PAGE}/`] }, /origins/],
    [{ origin: PAGE }, /createBackEnd has no option origin$/],
  ])
    assert.throws(() => createBackEnd({ ...VALID, ...bad }), { name: "TypeError", message });
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

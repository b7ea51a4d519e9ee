// @tier first
// @engines chromium: no browser is opened
// `npx pos-connect dev` in an empty project: the SDK of that project connects and sells, as a till and as a page that
// has the secret.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { pages } from "../docs/pages.js";
import { endTree, freePort, Program } from "../e2e/support/process.js";
import { MESSAGE } from "./behavior/case.js";
import { newProject } from "./project.js";

const npx = process.platform === "win32" ? "npx.cmd" : "npx";

let project, program, PosConnect, url;
before(async () => {
  project = await newProject();
  program = start("dev", "--port", "0");
  url = await program.until("address", () => /baseUrl: "([^"]+)"/.exec(program.output)?.[1]);
  ({ PosConnect } = await import(pathToFileURL(`${project.folder}/node_modules/pos-connect/inline.js`)));
});
after(async () => {
  await endTree(program);
  await project.remove();
});

const start = (...words) => new Program(npx, ["--no", "--prefix", project.folder, "pos-connect", ...words]);

/** What the connect page asks, with these fields of its form. */
async function ask(page, fields) {
  const response = await fetch(page, { method: "POST", body: new URLSearchParams(fields) });
  return (await response.json()).page;
}

/** The status of a call whose path is sent as it stands. */
async function statusOf(call, body) {
  const { hostname, port } = new URL(url);
  const [response] = await once(request({ hostname, port, ...call }).end(body), "response");
  response.resume();
  return response.statusCode;
}

/** Connects with these options more, and sells. */
async function sells(more) {
  const options = { baseUrl: url, connectUrl: `${url}/connect`, clientId: "till", vault: "memory", ...more };
  const pos = await PosConnect.create(options);
  const integration = await pos.createIntegration();
  const page = `${options.connectUrl}?integration_token=${integration.integrationToken}`;
  const shown = await (await fetch(page)).text();
  assert.match(shown, /<title>Simulated connect page<\/title>\n<link rel="icon" href="data:,">/);
  assert.equal(await ask(page, {}), "sign-in");
  assert.equal(await ask(page, { action: "sign-in" }), "consent");
  assert.equal(await ask(page, { action: "connect", ereceipts: "yes" }), "finished");
  await integration.waitUntilDone();
  const tokens = await integration.fetchTokens();
  assert.deepEqual([tokens.account.name, tokens.held], ["Corner Bakery", !more.clientSecret]);
  assert.equal((await pos.orders.send(MESSAGE)).state, "accepted");
  pos.destroy();
}

test("a till connects and sells", () => sells({}));

test("whoever has a secret connects and sells", () =>
  sells({ clientSecret: "any", trustedPage: true, accessToken: () => "fake-access-token" }));

test("a till of the server in docs/back-end.md connects and sells", async () => {
  const { fences } = (await pages()).find(({ path }) => path === "docs/back-end.md");
  const { code } = fences.find(({ code }) => code.startsWith("// server.mjs"));
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const file = `${project.folder}/server.mjs`;
  await writeFile(file, code.replace("http://127.0.0.1:8090", url).replace("8091", new URL(baseUrl).port));
  const server = new Program(process.execPath, [file]);
  const answers = () => fetch(baseUrl).then(({ status }) => status === 404, () => false);
  try {
    await server.until("answer", answers);
    await sells({ baseUrl });
  } finally {
    await endTree(server);
  }
});

test("a page of any origin may call it with a token", async () => {
  const headers = { "access-control-request-headers": "authorization", "access-control-request-method": "POST" };
  const { status, headers: said } = await fetch(`${url}/v1/orders`, { method: "OPTIONS", headers });
  const [origin, allowed] = ["origin", "headers"].map((name) => said.get(`access-control-allow-${name}`));
  assert.deepEqual([status, origin, allowed], [204, "*", "authorization"]);
});

test("a body that is none ends no process, and nothing that is logged has a query", async () => {
  assert.equal((await fetch(`${url}/v1/customers?q=hidden`, { method: "POST", body: "{" })).status, 400);
  await program.until("log", () => program.output.includes("POST /v1/customers 400\n"));
  await program.until("fault", () => /^the simulation cannot answer: \w/m.test(program.output));
  assert.doesNotMatch(program.output, /hidden|integration_token/);
});

test("a URL with a host is refused, and no network is asked", async () => {
  for (const path of ["evil://x/y", "http://localhost/x/y", "*"]) {
    assert.equal(await statusOf({ method: "GET", path }), 400, path);
  }
  // A merchant is connected by now, so it is the path that is unknown.
  assert.equal(await statusOf({ method: "GET", path: "//evil.example/x" }), 404);
  await program.until("log", () => program.output.includes("GET //evil.example/x 404\n"));
  assert.doesNotMatch(program.output, /x\/y/, "the simulation was asked");
});

test("a body is at most 1 MiB long", async () => {
  const call = { method: "POST", path: "/v1/auth/integration" };
  assert.equal(await statusOf(call, Buffer.alloc(1 << 20)), 200);
  assert.equal(await statusOf(call, Buffer.alloc((1 << 20) + 1)), 413);
});

test("a wrong command and a port that is taken are said", async () => {
  for (const [words, code, said] of [
    [["develop"], 2, /^Usage: npx pos-connect dev \[--port 8090\]/m],
    [["dev", "--port", new URL(url).port], 1, /^cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\)/m],
  ]) {
    const other = start(...words);
    assert.equal(await other.exited, code);
    assert.match(other.output, said);
  }
});

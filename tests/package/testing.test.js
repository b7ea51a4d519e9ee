// @tier first
// @engines chromium: no browser is opened
// The fake client of pos-connect/testing: by the suite that the real one passes too, and what only a fake can do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ORDER } from "./behavior/case.js";
import { CASES, results } from "./behavior/suite.js";
import { newProject, runNode } from "./project.js";

let project, testing, all;
before(async () => {
  project = await newProject();
  const path = `${project.folder}/node_modules/pos-connect/testing/index.js`;
  testing = await import(pathToFileURL(path));
  const host = async ({ isRelay, isShared, calls, ...script }, callbacks) => {
    const pos = testing.fakePosConnect({ ...script, ...callbacks });
    return { pos, until, endConnection: () => pos.fake.endConnection() };
  };
  all = await results(CASES, host);
});
after(() => project.remove());

/** The fake needs no time: what it does is done after a few promises. */
async function until(is) {
  for (let turns = 0; !is(); turns += 1) {
    assert.ok(turns < 1000, `never: ${is}`);
    await null;
  }
}

for (const { name, gives, lacks } of CASES) {
  const expected = JSON.parse(JSON.stringify(gives));
  if (!lacks) test(name, () => assert.deepEqual(all[name], expected));
  // A sentence about what it cannot do must not outlive the gap.
  else test(`${name}: lacks ${lacks}`, () => assert.notDeepEqual(all[name], expected));
}

test("an option that nobody reads is refused by its name", () => {
  for (const [name, option] of [
    ["fakePosConnect", "calls"],
    ["fakeService", "receipts"],
  ])
    assert.throws(() => testing[name]({ [option]: [] }), new TypeError(`${name} has no option ${option}`));
});

test("an order that waits is tried again once its time has come", async () => {
  const heard = [];
  const onOutbox = ({ state }) => heard.push(state);
  const orders = ["network", "server_error", "accepted"];
  const pos = testing.fakePosConnect({ connection: {}, orders, onOutbox, clock: Date.UTC(2026, 10, 27) });
  await pos.orders.send(ORDER);
  const [{ nextTry }] = await pos.orders.list();
  assert.equal(nextTry.toISOString(), "2026-11-27T00:00:01.000Z");
  await pos.fake.advance(999);
  assert.deepEqual(heard, ["queued", "postponed"]);
  await pos.fake.advance(1);
  assert.deepEqual(heard, ["queued", "postponed", "postponed"]);
  await pos.fake.advance(60_000);
  assert.deepEqual([heard.at(-1), await pos.orders.list()], ["accepted", []]);
  assert.equal(pos.fake.now.toISOString(), "2026-11-27T00:01:01.000Z");
});

test("a call does not wait longer than 3 seconds, and a promise in the script is waited for", async () => {
  let answer;
  const pos = testing.fakePosConnect({ connection: {}, orders: new Promise((resolve) => (answer = resolve)) });
  const sent = pos.orders.send(ORDER);
  await null;
  await pos.fake.advance(3000);
  assert.equal((await sent).state, "queued");
  answer("accepted");
  await until(() => answer);
  await pos.fake.advance(0);
  assert.deepEqual(await pos.orders.list(), []);
});

test("the relay ends a connection, another tab makes one, and the page is told", async () => {
  const heard = [];
  const onConnected = ({ account }) => heard.push(account.name);
  const pos = testing.fakePosConnect({ connection: {}, onConnected, onConnectionEnded: () => heard.push("ended") });
  pos.fake.endConnection();
  assert.equal(await pos.connection(), null);
  assert.equal((await pos.orders.send(ORDER)).error.code, "not_connected");
  pos.fake.connectElsewhere({ account: { id: "a-2", name: "Second" } });
  assert.deepEqual(heard, ["ended", "Second"]);
});

test("every call is noted, and the script can be changed", async () => {
  const pos = testing.fakePosConnect({ connect: "closed" });
  await assert.rejects(pos.connect(), { code: "closed" });
  pos.fake.script({ connect: { accessToken: "access-1" } });
  assert.equal((await pos.connect()).accessToken, "access-1");
  await pos.customers.send([{ externalId: "c-7" }], {});
  const [, , sent] = pos.fake.calls;
  assert.deepEqual(sent, { operation: "customers.send", arguments: [[{ externalId: "c-7" }], {}] });
});

test("in the place of the package, create gives the newest fake, with the page's own callbacks", async () => {
  const { fakePosConnect, PosConnect } = testing;
  const pos = fakePosConnect({ connection: {} });
  const heard = [];
  assert.equal(await PosConnect.create({ onOutbox: ({ state }) => heard.push(state) }), pos);
  assert.ok(pos instanceof PosConnect);
  await pos.orders.send(ORDER);
  assert.deepEqual(heard, ["queued", "accepted"]);
  pos.destroy();
  assert.notEqual(await PosConnect.create({}), pos);
  assert.throws(() => new PosConnect(), /PosConnect\.create/);
});

test("an error is made by its code alone, and is of the package's class", async () => {
  const { PosConnectError } = await import(pathToFileURL(`${project.folder}/node_modules/pos-connect/inline.js`));
  const error = testing.posConnectError("network", { status: 502, cause: 7 });
  assert.ok(error instanceof PosConnectError && error instanceof testing.PosConnectError);
  const { code, retryable, operation, status, cause, message } = error;
  assert.deepEqual([code, retryable, operation, status, cause], ["network", true, "connect", 502, 7]);
  assert.deepEqual([error.advice, testing.posConnectError("closed").advice], ["retry", "connect"]);
  assert.match(message, /^No answer/);
  assert.throws(() => testing.posConnectError("no_such_code"), TypeError);
});

test("CommonJS gets the same module, as Jest loads it", async () => {
  const output = await runNode(
    project.folder,
    `import { createRequire } from "node:module";
     const require = createRequire(process.cwd() + "/till.js");
     const { fakePosConnect, PosConnectError } = require("pos-connect/testing");
     const error = await fakePosConnect({ connect: "closed" }).connect().catch((error) => error);
     console.log(require.resolve("pos-connect/testing").slice(-4), error instanceof PosConnectError, error.code);`,
  );
  assert.equal(output, ".cjs true closed\n");
  const names = Object.keys(await import(pathToFileURL(`${project.folder}/node_modules/pos-connect/inline.js`)));
  assert.deepEqual(
    names.filter((name) => !(name in testing)),
    [],
  );
});

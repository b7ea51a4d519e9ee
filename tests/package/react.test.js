// @tier first
// @engines chromium: no browser is opened
// pos-connect/react on the fake, by Testing Library, with the oldest React that it is for and with the newest.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, afterEach, before, describe, mock, test } from "node:test";
import { ORDER } from "./behavior/case.js";
import { fakedProject, pending } from "./faked.js";

const PACKAGES = ["react", "react-dom", "@testing-library/react"];
const OPTIONS = { baseUrl: "https://relay.example", connectUrl: "https://auth.example", clientId: "till" };

for (const [version, folder] of Object.entries({ "18.2": "react-18/node_modules", 19: "node_modules" })) {
  describe(`React ${version}`, () => suite(version, folder));
}

function suite(version, folder) {
  let project, React, Server, library, binding, testing, h;
  before(async () => {
    project = await fakedProject(PACKAGES, folder);
    const names = ["react", "react-dom/server", "@testing-library/react", "pos-connect/react", "pos-connect/testing"];
    [React, Server, library, binding, testing] = await Promise.all(names.map(project.load));
    library.configure({ reactStrictMode: true, asyncUtilTimeout: 60_000 });
    h = React.createElement;
  });
  after(() => project.remove());
  afterEach(() => {
    library.cleanup();
    mock.restoreAll();
    mock.timers.reset();
  });

  /** Shows elements below a provider. */
  const render = (props, ...elements) => library.render(h(binding.PosConnectProvider, props, ...elements));
  const text = () => document.body.textContent;
  const shows = (wanted) => library.waitFor(() => assert.equal(text(), wanted));
  const click = (name) => library.fireEvent.click(library.screen.getByRole("button", { name }));
  const operations = ({ fake }) => fake.calls.map(({ operation }) => operation);

  /** What each part of a till shows of the client. */
  const Status = () => h("p", null, binding.useConnection().status);
  const Account = () => h("p", null, binding.useConnection().connection?.account.name);
  const Waiting = () => h("p", null, binding.useOutbox().waiting.length);

  function Connect() {
    const { connect, isConnecting, error } = binding.useConnect();
    return h("button", { onClick: connect, disabled: isConnecting }, `Connect${error ? `: ${error.code}` : ""}`);
  }

  function Charge({ print }) {
    const { charge, isCharging } = binding.useCharge({ region: "IL", print });
    const sell = () => charge(ORDER).catch(() => {});
    return h("button", { onClick: sell, disabled: isCharging }, "Charge");
  }

  test("is the version that is meant", () => assert.ok(React.version.startsWith(version)));

  test("StrictMode has one client, which is destroyed after the last component has gone", async () => {
    const create = mock.method(testing.PosConnect, "create");
    const pos = testing.fakePosConnect({ connection: {} });
    const { unmount } = render({ options: OPTIONS }, h(Status));
    assert.equal(text(), "loading");
    await shows("connected");
    assert.equal(create.mock.callCount(), 1);
    unmount();
    await library.waitFor(() => assert.equal(operations(pos).at(-1), "destroy"));
    assert.equal(operations(pos).filter((name) => name === "destroy").length, 1);
  });

  test("two components show one state, and the orders that wait", async () => {
    const pos = testing.fakePosConnect({ connection: {}, orders: "network" });
    render({ client: pos }, h(Status), h(Account), h(Waiting));
    await shows("connectedCorner Bakery0");
    await library.act(() => pos.orders.send(ORDER));
    await shows("connectedCorner Bakery1");
    await library.act(async () => pos.fake.endConnection());
    await shows("disconnected1");
  });

  test("a client of the page's own is not destroyed", async () => {
    const pos = testing.fakePosConnect({ connection: {} });
    const { unmount } = render({ client: pos }, h(Status));
    await shows("connected");
    unmount();
    assert.ok(await pos.connection());
  });

  test("connect: what the merchant ends is no error, what fails is one until the next try", async () => {
    const merchant = pending();
    const pos = testing.fakePosConnect({ connect: [merchant.promise, "network", "finished"] });
    render({ client: pos }, h(Status), h(Connect));
    await shows("disconnectedConnect");
    const isDisabled = (is) => library.waitFor(() => assert.equal(library.screen.getByRole("button").disabled, is));
    click("Connect");
    await isDisabled(true);
    merchant.resolve("closed");
    await isDisabled(false);
    assert.equal(text(), "disconnectedConnect");
    click("Connect");
    await shows("disconnectedConnect: network");
    click("Connect: network");
    await shows("connectedConnect");
  });

  test("the frame connects in its own element once, however often it is mounted", async () => {
    const merchant = pending();
    const pos = testing.fakePosConnect({ connect: merchant.promise });
    const heard = [];
    const onConnected = ({ account }) => heard.push(account.name);
    const options = { locale: "he" };
    render({ client: pos }, h(Status), h(binding.ConnectFrame, { options, onConnected, className: "area" }));
    await library.waitFor(() => assert.ok(operations(pos).includes("connect")));
    merchant.resolve("finished");
    await shows("connected");
    const calls = pos.fake.calls.filter(({ operation }) => operation === "connect");
    const [{ container, locale }] = calls[0].arguments;
    assert.deepEqual([calls.length, container.className, locale, heard], [1, "area", "he", ["Corner Bakery"]]);
  });

  test("the frame gets another client, or goes, while it connects: the call is aborted without a word", async () => {
    const [first, second] = [0, 1].map(() => testing.fakePosConnect({ connect: new Promise(() => {}) }));
    const heard = [];
    const onConnected = () => heard.push("connected");
    const frame = h(binding.ConnectFrame, { onConnected }, ({ error }) => heard.push(error.code));
    const { rerender } = render({ client: first }, frame);
    const signals = [];
    for (const client of [first, second]) {
      rerender(h(binding.PosConnectProvider, { client }, frame));
      await library.waitFor(() => assert.ok(operations(client).includes("connect")));
      signals.push(client.fake.calls.find(({ operation }) => operation === "connect").arguments[0].signal);
    }
    assert.deepEqual([signals[0].aborted, signals[1].aborted], [true, false]);
    rerender(h(binding.PosConnectProvider, { client: second }));
    assert.ok(signals[1].aborted);
    await library.act(() => second.connection());
    assert.deepEqual(heard, []);
  });

  test("the frame shows why it failed, and connects again", async () => {
    const pos = testing.fakePosConnect({ connect: ["cancelled", "finished"] });
    const failed = ({ error, retry }) => h("button", { onClick: retry }, error.code);
    render({ client: pos }, h(Status), h(binding.ConnectFrame, null, failed));
    await shows("disconnectedcancelled");
    click("cancelled");
    await shows("connected");
  });

  test("a create that fails for now is tried again after 10 seconds", async () => {
    testing.fakePosConnect({ connection: {} });
    const error = testing.posConnectError("load_failed", { operation: "init" });
    const create = mock.method(testing.PosConnect, "create");
    for (const call of [0, 1]) create.mock.mockImplementationOnce(() => Promise.reject(error), call);
    const logged = mock.method(console, "error", () => {});
    mock.timers.enable({ apis: ["setTimeout"] });
    render({ options: OPTIONS }, h(Status));
    for (const calls of [1, 2, 3]) {
      await library.act(async () => mock.timers.tick(9999));
      assert.deepEqual([text(), create.mock.callCount()], [calls === 1 ? "unreachable" : text(), calls]);
      await library.act(async () => mock.timers.tick(1));
    }
    assert.equal(text(), "connected");
    assert.deepEqual(
      logged.mock.calls.map((call) => call.arguments),
      [[error]],
    );
  });

  test("a create that has failed is not tried again after the last component has gone", async () => {
    const error = testing.posConnectError("load_failed", { operation: "init" });
    const create = mock.method(testing.PosConnect, "create", () => Promise.reject(error));
    mock.method(console, "error", () => {});
    mock.timers.enable({ apis: ["setTimeout"] });
    const { unmount } = render({ options: OPTIONS }, h(Status));
    await library.act(async () => {});
    assert.equal(text(), "unreachable");
    unmount();
    for (const ms of [0, 60_000]) await library.act(async () => mock.timers.tick(ms));
    assert.equal(create.mock.callCount(), 1);
  });

  test("a create that fails for good is not tried again, but by a call, which says why", async () => {
    const error = testing.posConnectError("invalid_option", { operation: "create" });
    const create = mock.method(testing.PosConnect, "create", () => Promise.reject(error));
    mock.method(console, "error", () => {});
    mock.timers.enable({ apis: ["setTimeout"] });
    render({ options: OPTIONS }, h(Status), h(Connect));
    await library.act(async () => {});
    await library.act(async () => mock.timers.tick(60_000));
    assert.deepEqual([text(), create.mock.callCount()], ["unreachableConnect", 1]);
    click("Connect");
    await library.act(async () => {});
    assert.deepEqual([text(), create.mock.callCount()], ["unreachableConnect: invalid_option", 2]);
  });

  test("a create that is on its way while the provider goes is destroyed when it arrives", async () => {
    const arrival = pending();
    mock.method(testing.PosConnect, "create", () => arrival.promise);
    const { unmount } = render({ options: OPTIONS }, h(Status));
    mock.timers.enable({ apis: ["setTimeout"] });
    unmount();
    mock.timers.tick(0);
    const pos = testing.fakePosConnect();
    arrival.resolve(pos);
    await arrival.promise;
    assert.deepEqual(operations(pos), ["destroy"]);
  });

  test("other data makes another client, and of the functions those of the last render are called", async () => {
    const [first, second] = [0, 1].map(() => testing.fakePosConnect({ connection: {} }));
    const clients = [first, second];
    const create = mock.method(testing.PosConnect, "create", async () => clients[create.mock.callCount()]);
    const heard = [];
    const provider = (storeId, name) => {
      const options = { ...OPTIONS, storeId, onOutbox: ({ state }) => heard.push(`${name} ${state}`) };
      return h(binding.PosConnectProvider, { options }, h(Status));
    };
    const { rerender } = library.render(provider("north", "old"));
    await shows("connected");
    rerender(provider("north", "new"));
    create.mock.calls[0].arguments[0].onOutbox({ state: "queued" });
    assert.deepEqual([heard, create.mock.callCount()], [["new queued"], 1]);
    rerender(provider("south", "new"));
    await library.waitFor(() => assert.equal(operations(first).at(-1), "destroy"));
    await shows("connected");
    assert.deepEqual([create.mock.callCount(), operations(second).includes("destroy")], [2, false]);
  });

  test("charge: the button waits, and the newest print is called", async () => {
    const shopper = pending();
    const pos = testing.fakePosConnect({ connection: {}, receipts: shopper.promise });
    const heard = [];
    const till = (name) => h(Charge, { print: ({ externalId }) => heard.push(`${name} ${externalId}`) });
    const { rerender } = render({ client: pos }, till("old"));
    rerender(h(binding.PosConnectProvider, { client: pos }, till("new")));
    click("Charge");
    assert.ok(library.screen.getByRole("button").disabled);
    shopper.resolve("chosen");
    await library.waitFor(() => assert.ok(!library.screen.getByRole("button").disabled));
    assert.deepEqual(heard, ["new 1041"]);
  });

  test("the outbox: an order is tried again, and given up", async () => {
    const pos = testing.fakePosConnect({ connection: {}, orders: "invalid_body" });
    const Refused = () => {
      const { refused, retry, discard } = binding.useOutbox();
      const button = (name, act) => h("button", { key: name, onClick: () => act(refused[0].id) }, name);
      return refused.map(({ tries }) => [tries, button("retry", retry), button("discard", discard)]);
    };
    render({ client: pos }, h(Refused));
    await library.act(() => pos.orders.send(ORDER).catch(() => {}));
    await shows("1retrydiscard");
    click("retry");
    await shows("2retrydiscard");
    click("discard");
    await shows("");
  });

  test("usePosConnect gives the client, and disconnect ends the connection", async () => {
    const pos = testing.fakePosConnect({ connection: {} });
    const clients = [];
    const Leave = () => {
      clients.push(binding.usePosConnect());
      return h("button", { onClick: binding.useConnection().disconnect }, "Leave");
    };
    render({ options: OPTIONS }, h(Leave), h(Status));
    await shows("Leaveconnected");
    assert.deepEqual([clients.at(0), clients.at(-1)], [null, pos]);
    click("Leave");
    await shows("Leavedisconnected");
  });

  test("a server creates nothing, and its page is taken over, though the client knows more by then", async () => {
    const pos = testing.fakePosConnect({ connection: {} });
    const create = mock.method(testing.PosConnect, "create");
    const frame = h(binding.ConnectFrame, { className: "area" });
    const page = (props) => h(binding.PosConnectProvider, props, h(Status), h(Connect), h(Waiting), frame);
    const { document } = globalThis;
    delete globalThis.document;
    const html = Server.renderToString(page({ options: OPTIONS }));
    globalThis.document = document;
    assert.equal(html, '<p>loading</p><button>Connect</button><p>0</p><div class="area"></div>');
    assert.deepEqual([create.mock.callCount(), pos.fake.calls], [0, []]);
    await pos.connection();
    await library.waitFor(() => assert.equal(pos.state.status, "connected"));
    const container = document.body.appendChild(document.createElement("main"));
    container.innerHTML = html;
    const complained = mock.method(console, "error", () => {});
    library.render(page({ client: pos }), { container, hydrate: true });
    await shows("connectedConnect0");
    assert.equal(complained.mock.callCount(), 0);
  });

  test("CommonJS gets the same, as Jest loads it", async () => {
    const require = createRequire(`${project.folder}/till.js`);
    const common = require("pos-connect/react");
    assert.deepEqual(Object.keys(common).sort(), Object.keys(binding).sort());
    const pos = require("pos-connect/testing").fakePosConnect({ connection: {} });
    const Shown = () => h("p", null, common.useConnection().status);
    library.render(h(common.PosConnectProvider, { client: pos }, h(Shown)));
    await shows("connected");
  });

  test("a hook without a provider says what is missing", () => {
    mock.method(console, "error", () => {});
    assert.throws(() => library.render(h(Status)), /no <PosConnectProvider> above/);
  });
}

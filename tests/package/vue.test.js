// @tier first
// @engines chromium: no browser is opened
// pos-connect/vue on the fake.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, afterEach, before, mock, test } from "node:test";
import { ORDER } from "./behavior/case.js";
import { fakedProject, pending } from "./faked.js";

const OPTIONS = { baseUrl: "https://relay.example", connectUrl: "https://auth.example", clientId: "till" };

let project, vue, Server, binding, testing, app;
before(async () => {
  project = await fakedProject(["vue"]);
  const names = ["vue", "vue/server-renderer", "pos-connect/vue", "pos-connect/testing"];
  [vue, Server, binding, testing] = await Promise.all(names.map(project.load));
});
after(() => project.remove());
afterEach(() => {
  app?.unmount();
  app = undefined;
  document.body.replaceChildren();
  mock.restoreAll();
});

/** Mounts a component whose `setup` gives its render function. */
function mount(source, setup, ...more) {
  app = vue.createApp({ setup }, ...more).use(binding.posConnect, source);
  app.mount(document.body.appendChild(document.createElement("main")));
}

const text = () => document.querySelector("main").textContent;
const button = () => document.querySelector("button");
const operations = ({ fake }) => fake.calls.map(({ operation }) => operation);

async function until(is) {
  for (let turns = 0; !is(); turns += 1) {
    assert.ok(turns < 1000, `never: ${is}`);
    await new Promise((resolve) => setTimeout(resolve));
  }
}
const shows = (wanted) => until(() => text() === wanted);

test("an app has one client, which is destroyed with it, and its components show one state", async () => {
  const create = mock.method(testing.PosConnect, "create");
  const pos = testing.fakePosConnect({ connection: {}, orders: "network" });
  const Waiting = {
    setup() {
      const { waiting } = binding.useOutbox();
      return () => `, ${waiting.value.length}`;
    },
  };
  mount(OPTIONS, () => {
    const { status } = binding.useConnection();
    const client = binding.usePosConnect();
    return () => [`${status.value} ${client.value === pos}`, vue.h(Waiting)];
  });
  assert.equal(text(), "loading false, 0");
  await shows("connected true, 0");
  await pos.orders.send(ORDER);
  await shows("connected true, 1");
  app.unmount();
  app = undefined;
  await until(() => operations(pos).at(-1) === "destroy");
  assert.equal(create.mock.callCount(), 1);
});

test("connect: what the merchant ends is no error, what fails is one until the next try", async () => {
  const merchant = pending();
  mount(testing.fakePosConnect({ connect: [merchant.promise, "network", "finished"] }), () => {
    const { status, disconnect } = binding.useConnection();
    const { connect, isConnecting, error } = binding.useConnect();
    const onClick = () => (status.value === "connected" ? disconnect() : connect());
    return () => [status.value, vue.h("button", { onClick, disabled: isConnecting.value }, error.value?.code)];
  });
  await shows("disconnected");
  button().click();
  await until(() => button().disabled);
  merchant.resolve("closed");
  await until(() => !button().disabled);
  assert.equal(text(), "disconnected");
  button().click();
  await shows("disconnectednetwork");
  button().click();
  await shows("connected");
  button().click();
  await shows("disconnected");
});

test("the frame shows why it failed, connects again in its own element, and is aborted when it goes", async () => {
  const pos = testing.fakePosConnect({ connect: ["cancelled", "finished", new Promise(() => {})] });
  const isShown = vue.ref(true);
  const heard = [];
  const onConnected = ({ account }) => heard.push(account.name);
  mount(pos, () => {
    const slot = ({ error, retry }) => vue.h("button", { onClick: retry }, error.code);
    const props = { options: { locale: "he" }, class: "area", onConnected };
    return () => (isShown.value ? vue.h(binding.ConnectFrame, props, slot) : "none");
  });
  await shows("cancelled");
  button().click();
  await until(() => heard.length);
  const isConnect = ({ operation }) => operation === "connect";
  const calls = () => pos.fake.calls.filter(isConnect).map((call) => call.arguments[0]);
  assert.deepEqual(heard, ["Corner Bakery"]);
  assert.deepEqual(
    calls().map(({ container, locale }) => [container.className, locale]),
    [
      ["area", "he"],
      ["area", "he"],
    ],
  );
  isShown.value = false;
  await shows("none");
  isShown.value = true;
  await until(() => calls().length === 3);
  isShown.value = false;
  await shows("none");
  assert.ok(calls()[2].signal.aborted);
  assert.equal(heard.length, 1);
});

test("charge: the button waits, and paper is printed", async () => {
  const shopper = pending();
  const heard = [];
  mount(testing.fakePosConnect({ connection: {}, receipts: shopper.promise }), () => {
    const { charge, isCharging } = binding.useCharge({ region: "IL", print: ({ reason }) => heard.push(reason) });
    return () => vue.h("button", { onClick: () => charge(ORDER), disabled: isCharging.value });
  });
  button().click();
  await until(() => button().disabled);
  shopper.resolve("chosen");
  await until(() => !button().disabled);
  assert.deepEqual(heard, ["chosen"]);
});

test("a create that fails is unreachable, and why is in the console; a call tries again", async () => {
  const pos = testing.fakePosConnect({ connection: {} });
  const failure = testing.posConnectError("load_failed", { operation: "init" });
  const create = mock.method(testing.PosConnect, "create");
  create.mock.mockImplementationOnce(() => Promise.reject(failure));
  const logged = mock.method(console, "error", () => {});
  mount(OPTIONS, () => {
    const { status, error } = binding.useConnection();
    const { discard } = binding.useOutbox();
    return () => [status.value, vue.h("button", { onClick: () => discard("none") }, error.value?.code)];
  });
  await shows("unreachableload_failed");
  assert.equal(logged.mock.calls[0].arguments[0], failure);
  button().click();
  await shows("connected");
  assert.ok(operations(pos).includes("orders.discard"));
});

test("a server creates nothing", async () => {
  const create = mock.method(testing.PosConnect, "create");
  const { window } = globalThis;
  delete globalThis.window;
  const setup = () => {
    const { status } = binding.useConnection();
    return () => [vue.h("p", status.value), vue.h(binding.ConnectFrame)];
  };
  const html = await Server.renderToString(vue.createSSRApp({ setup }).use(binding.posConnect, OPTIONS));
  globalThis.window = window;
  assert.match(html, /<p>loading<\/p>(<!--.*?-->)*<div><\/div>/);
  assert.equal(create.mock.callCount(), 0);
});

test("CommonJS gets the same, as Jest loads it", () => {
  const common = createRequire(`${project.folder}/till.js`)("pos-connect/vue");
  assert.deepEqual(Object.keys(common).sort(), Object.keys(binding).sort());
});

test("a composable without the plugin says what is missing", () => {
  mock.method(console, "warn", () => {});
  const lone = vue.createApp({ setup: () => binding.useConnection() });
  assert.throws(() => lone.mount(document.createElement("main")), /call app\.use\(posConnect, options\) first/);
});

// Options that throw, change, or cannot be read: each is an error that names the member, and nothing is lost.
import * as tools from "./tools.js";

const { equal, fails, load, resolves, till } = tools;

const boom = new Error("lazy");
const thrower = (name, rest = {}) =>
  Object.defineProperty({ ...rest }, name, {
    enumerable: true,
    get: () => {
      throw boom;
    },
  });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** What a call throws or rejects with; fails if it does neither. */
async function thrown(call) {
  const outcome = await tools.settled((async () => call())());
  if (outcome === "pending" || !("error" in outcome)) throw new Error(`no error: ${JSON.stringify(outcome)}`);
  return outcome.error;
}

async function invalid(call, member, cause) {
  const error = await thrown(call);
  equal(error?.code, "invalid_option", `${member}: ${error}`);
  equal(error.message.includes(member), true, error.message);
  equal(error.retryable, false);
  if (cause !== undefined) equal(error.cause, cause, member);
}

async function made() {
  const sdk = await load();
  await sdk.init();
  const { service, options } = till();
  return { sdk, service, options, pos: await sdk.PosConnect.create({ ...options, ereceipt: true }) };
}

/**
 * A till with `exactOptionalPropertyTypes` off, or a state that is not set yet, hands over `undefined`. The options of
 * each call are tried in `tests/flow/options.rs`.
 */
export async function undefined_is_an_option_that_was_not_given() {
  const { sdk, service, pos } = await made();
  const flow = pos.connect({ labels: { title: undefined, loading: "…" } });
  await tools.eventually(() => tools.frames().length === 1);
  await tools.consent(service);
  await resolves(flow);
  pos.destroy();
  equal(sdk.parsePhone("+972502345678", { region: undefined }).verdict, "valid");
  await sdk.init({ module: undefined });
}

/** A member that a store of state computes when it is read. */
export async function a_getter_that_throws_is_never_a_missing_option() {
  const { sdk, service, options, pos } = await made();
  await invalid(() => sdk.PosConnect.create({ ...options, headers: thrower("a") }), "headers", boom);
  await invalid(() => pos.connect({ labels: thrower("title") }), "labels", boom);
  await invalid(() => sdk.parsePhone("050", thrower("region")), "region", boom);
  await invalid(() => sdk.init(thrower("module")), "module", boom);
  equal(service.requests.length, 0, "nothing was sent");
  equal(document.querySelectorAll("iframe, dialog").length, 0);
}

export async function a_member_of_an_order_that_throws_is_named() {
  const { service, pos } = await made();
  const order = { externalId: "1", lines: [{ name: "Tea" }, thrower("price/net")] };
  const named = async (call, member, pointer) => {
    const error = await thrown(call);
    equal(error.code, "invalid_option", String(error));
    equal(error.message.split(":")[0], member);
    equal(error.pointer, pointer);
    equal(error.cause, boom);
  };
  const pointer = "/lines/1/price~1net";
  await named(() => pos.orders.send(order), `order${pointer}`, pointer);
  await named(() => pos.orders.retry("1", { order }), `order${pointer}`, pointer);
  await named(() => pos.orders.send({ externalId: "1" }, { receipt: thrower("kind") }), "receipt/kind", "/kind");
  await named(() => pos.store.update(thrower("name")), "profile/name", "/name");
  await named(() => pos.customers.send([{}, thrower("phone")]), "customers/1/phone", "/1/phone");
  const deep = {};
  deep.again = deep;
  const error = await thrown(() => pos.store.update(deep));
  equal([error.code, error.message.endsWith(": goes too deep")].join(), "invalid_option,true", error.message);
  equal(service.requests.length, 0, "nothing was sent");
}

/** Some stores of state hand out proxies that are over after an event. */
export async function a_revoked_proxy_is_no_options() {
  const { sdk, pos } = await made();
  for (const call of [
    () => sdk.PosConnect.create(revoked()),
    () => pos.connect(revoked()),
    () => pos.connect({ labels: revoked() }),
    () => pos.receiptFor(revoked()),
    () => sdk.parsePhone("050", revoked()),
    () => sdk.init(revoked()),
    () => pos.orders.send(revoked()),
    () => pos.orders.send({ lines: revoked() }),
    () => pos.customers.send(revoked()),
  ]) {
    equal((await thrown(call)).code, "invalid_option", String(call));
  }
}

export async function half_a_character_is_no_text() {
  const { sdk, options, pos } = await made();
  for (const name of ["clientId", "storeId", "clientSecret"]) {
    await invalid(() => sdk.PosConnect.create({ ...options, [name]: "x\ud800" }), name);
  }
  await invalid(() => pos.receiptFor({ orderId: "A\udfff", region: "IL" }), "orderId");
  // The character that stands for a broken one is a text like any other.
  await resolves(sdk.PosConnect.create({ ...options, storeId: "x\ufffd" }));
}

export async function options_may_be_of_a_class() {
  const { sdk, options } = await made();
  const handed = [];
  class Till {
    constructor() {
      Object.assign(this, options);
    }
    persistTokens(tokens) {
      handed.push(tokens);
    }
  }
  class Order {
    orderId = "1";
    region = "IL";
    sends = 0;
    onSend() {
      Order.sends = (Order.sends ?? 0) + 1;
    }
    get prefill() {
      return "+972502345678";
    }
  }
  const { sends, ...clean } = new Order();
  equal(sends, 0);
  const pos = await sdk.PosConnect.create(new Till());
  const ereceipt = await sdk.PosConnect.create({ ...options, ereceipt: true });
  const asked = ereceipt.receiptFor(Object.assign(Object.create(Order.prototype), clean));
  await tools.eventually(() => tools.part("send"));
  tools.part("send").click();
  equal((await resolves(asked)).kind, "ereceipt");
  equal(Order.sends, 1);
  const flow = pos.connect();
  await tools.eventually(() => tools.frames().length > 0);
  pos.destroy();
  await fails(flow, "destroyed");
}

export async function pressing_the_keypads_own_buttons_from_onSend() {
  const { pos } = await made();
  const asked = pos.receiptFor({ orderId: "1", region: "IL", onSend: () => tools.part("print").click() });
  await tools.type(tools.NUMBER);
  await tools.sleep(500);
  tools.part("send").click();
  equal((await resolves(asked)).reason, "chosen");
}

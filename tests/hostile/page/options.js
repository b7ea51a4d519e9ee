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

const CREATE = `baseUrl connectUrl clientId storeId clientSecret trustedPage headers ereceipt persistTokens accessToken
operations onOutbox onConnectionEnded vault`;
const CONNECT = ["signal", "onStatus", "labels", "locale", "theme", "sandbox", "onReady", "container", "doneSeconds"];
const RECEIPT = `orderId region container ereceipt locale labels languages onSend idleSeconds noAnswer allowNone prefill
announce outcomeSeconds context feedback consentId signal`;

const OPERATIONS = ["updateStoreProfile", "storeProfile", "sendCustomers", "sendOrder", "order"];
/** The calls for a connected merchant that take a signal, and what they take before it. */
const MERCHANT = [
  ["disconnect"],
  ["updateStoreProfile", {}],
  ["storeProfile"],
  ["sendCustomers", [{}]],
  ["sendOrder", { externalId: "1" }],
  ["order", "1"],
];

/** A till with `exactOptionalPropertyTypes` off, or a state that is not set yet, hands over `undefined`. */
export async function undefined_is_an_option_that_was_not_given() {
  const { sdk, service, options, pos } = await made();
  const unset = (names, known) => ({ ...Object.fromEntries(names.map((name) => [name, undefined])), ...known });
  const again = await sdk.PosConnect.create(unset(CREATE.split(/\s+/), options));
  again.destroy();
  const labels = unset(["title", "close"], { loading: "…" });
  const flow = pos.connect(unset(CONNECT, { labels }));
  await tools.eventually(() => tools.frames().length === 1);
  await tools.consent(service);
  await resolves(flow);
  const known = { orderId: "1", region: "IL", labels: { send: undefined } };
  const asked = pos.receiptFor(unset(RECEIPT.split(/\s+/), known));
  await tools.eventually(() => document.querySelector("ereceipt-keypad"));
  pos.destroy();
  equal((await resolves(asked)).reason, "aborted");
  equal(sdk.parsePhone("+972502345678", { region: undefined }).verdict, "valid");
  await sdk.init({ module: undefined });
}

export async function a_getter_that_throws_is_never_a_missing_option() {
  const { sdk, service, options, pos } = await made();
  const integration = await pos.createIntegration();
  for (const name of CREATE.split(/\s+/))
    await invalid(() => sdk.PosConnect.create(thrower(name, options)), name, boom);
  for (const name of CONNECT) {
    await invalid(() => pos.connect(thrower(name)), name, boom);
  }
  const known = { orderId: "1", region: "IL" };
  for (const name of RECEIPT.split(/\s+/)) await invalid(() => pos.receiptFor(thrower(name, known)), name, boom);
  const Keypad = await sdk.defineKeypad();
  const element = new Keypad();
  document.body.append(element);
  await invalid(() => element.ask(thrower("onSend", known)), "onSend", boom);
  for (const name of ["labels", "locale", "theme", "sandbox", "onReady"])
    await invalid(() => integration.mountFrame(null, thrower(name)), name, boom);
  for (const call of ["status", "waitUntilDone", "fetchTokens", "acknowledgeTokens", "cancel"]) {
    await invalid(() => integration[call](thrower("signal")), "signal", boom);
  }
  for (const [call, ...given] of MERCHANT) await invalid(() => pos[call](...given, thrower("signal")), "signal", boom);
  await invalid(() => pos.sendCustomers([{}], thrower("idempotencyKey")), "idempotencyKey", boom);
  await invalid(() => pos.retryOrder("1", thrower("order")), "order", boom);
  for (const name of ["receipt", "printIfQueued"])
    await invalid(() => pos.sendOrder({ externalId: "1" }, thrower(name)), name, boom);
  for (const name of OPERATIONS) {
    const operations = thrower(name);
    await invalid(() => sdk.PosConnect.create({ ...options, operations }), `operations.${name}`, boom);
  }
  await invalid(() => pos.resume(thrower("signal")), "signal", boom);
  await invalid(() => pos.createIntegration(thrower("signal")), "signal", boom);
  await invalid(() => sdk.parsePhone("050", thrower("region")), "region", boom);
  await invalid(() => sdk.formatPhoneAsYouType("050", thrower("region")), "region", boom);
  await invalid(() => sdk.init(thrower("module")), "module", boom);
  await invalid(() => pos.connect({ labels: thrower("title") }), "labels", boom);
  equal(service.requests.length, 1, "nothing else was sent");
  equal(document.querySelectorAll("iframe, dialog").length, 0);
}

export async function a_prototype_that_cannot_be_read_is_no_missing_option() {
  const { sdk, options, pos } = await made();
  const trapped = (members) =>
    new Proxy(Object.create(members), {
      getPrototypeOf: () => {
        throw boom;
      },
    });
  await invalid(() => sdk.PosConnect.create(trapped({ ...options, persistTokens: () => {} })), "options", boom);
  await invalid(() => pos.receiptFor(trapped({ orderId: "1", region: "IL", onSend: () => {} })), "options", boom);
  await invalid(() => pos.connect(trapped({ onStatus: () => {} })), "options", boom);
  await invalid(() => sdk.PosConnect.create({ ...options, headers: trapped({ a: "b" }) }), "headers", boom);
}

/** Where a page keeps its defaults in an object without a prototype, they are options like any other. */
export async function what_is_inherited_from_a_bare_object_is_read() {
  const { sdk, options } = await made();
  const bare = (members) => Object.create(Object.assign(Object.create(null), members));
  const pos = await sdk.PosConnect.create(bare({ ...options, ereceipt: true }));
  let sends = 0;
  const known = { orderId: "1", region: "IL", prefill: "+972502345678", onSend: () => void (sends += 1) };
  const asked = pos.receiptFor(bare(known));
  await tools.eventually(() => tools.part("send"));
  tools.part("send").click();
  equal((await resolves(asked)).kind, "ereceipt");
  equal(sends, 1);
}

export async function what_a_value_throws_is_the_cause() {
  const { sdk, options, pos } = await made();
  const { create } = sdk.PosConnect;
  await invalid(() => create({ ...options, headers: thrower("a") }), "headers", boom);
  const broken = (value, name) => Object.defineProperty(value, name, { get: thrower(name).__lookupGetter__(name) });
  const { signal } = new AbortController();
  await invalid(() => pos.resume({ signal: broken(signal, "aborted") }), "signal", boom);
  await invalid(() => create({ ...options, baseUrl: broken(new URL("https://a.example"), "href") }), "baseUrl", boom);
  const container = broken(document.createElement("div"), "nodeType");
  document.body.append(container);
  await invalid(() => pos.connect({ container }), "container", boom);
  await invalid(() => pos.receiptFor({ orderId: "1", region: "IL", container }), "container", boom);
  const integration = await pos.createIntegration();
  await invalid(() => integration.mountFrame(container), "container", boom);
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
  await named(() => pos.sendOrder(order), `order${pointer}`, pointer);
  await named(() => pos.retryOrder("1", { order }), `order${pointer}`, pointer);
  await named(() => pos.sendOrder({ externalId: "1" }, { receipt: thrower("kind") }), "receipt/kind", "/kind");
  await named(() => pos.updateStoreProfile(thrower("name")), "profile/name", "/name");
  await named(() => pos.sendCustomers([{}, thrower("phone")]), "customers/1/phone", "/1/phone");
  // A thing that says of itself what is not so.
  const odd = [revoked(), { lines: revoked() }, { at: new Proxy(new Date(), {}) }];
  const loud = new Proxy([], {
    get: () => {
      throw boom;
    },
  });
  for (const given of [...odd, { lines: loud }])
    equal((await thrown(() => pos.sendOrder(given))).code, "invalid_option");
  equal((await thrown(() => pos.sendCustomers(revoked()))).code, "invalid_option");
  const deep = {};
  deep.again = deep;
  const error = await thrown(() => pos.updateStoreProfile(deep));
  equal([error.code, error.message.endsWith(": goes too deep")].join(), "invalid_option,true", error.message);
  equal(service.requests.length, 0, "nothing was sent");
}

export async function a_revoked_proxy_is_no_options() {
  const { sdk, pos } = await made();
  for (const call of [
    () => sdk.PosConnect.create(revoked()),
    () => pos.connect(revoked()),
    () => pos.connect({ labels: revoked() }),
    () => pos.receiptFor(revoked()),
    () => sdk.parsePhone("050", revoked()),
    () => sdk.init(revoked()),
  ]) {
    equal((await thrown(call)).code, "invalid_option", String(call));
  }
}

export async function a_misspelled_option_is_named_in_every_call() {
  const { sdk, options, pos } = await made();
  await invalid(() => sdk.PosConnect.create({ ...options, persistToken: () => {} }), "persistToken");
  await invalid(() => sdk.parsePhone("050", { Region: "IL" }), "Region");
  await invalid(() => sdk.formatPhoneAsYouType("050", { regoin: "IL" }), "regoin");
  await invalid(() => sdk.init({ modul: 1 }), "modul");
  await invalid(() => sdk.parsePhone("050", 5), "options");
  await invalid(() => pos.receiptFor({ orderId: "1", region: "IL", onsend: () => {} }), "onsend");
  const integration = await pos.createIntegration();
  await invalid(() => integration.mountFrame(null, { Labels: {} }), "Labels");
  for (const call of ["status", "waitUntilDone", "fetchTokens", "acknowledgeTokens", "cancel"])
    await invalid(() => integration[call]({ signl: 1 }), "signl");
  for (const [call, ...given] of [...MERCHANT, ["resume"], ["createIntegration"], ["retryOrder", "1"]])
    await invalid(() => pos[call](...given, { signl: 1 }), "signl");
  await invalid(() => sdk.PosConnect.create({ ...options, operations: { sendOrders: "/o" } }), "operations.sendOrders");
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

export async function asking_and_destroying_from_within_a_getter() {
  const { sdk, options, pos } = await made();
  let inner;
  const outer = pos.receiptFor({
    orderId: "1",
    get region() {
      inner ??= pos.receiptFor({ orderId: "2", region: "IL" });
      return "IL";
    },
  });
  equal((await resolves(inner)).reason, "replaced");
  await tools.eventually(() => tools.part("print"));
  tools.part("print").click();
  equal((await resolves(outer)).reason, "chosen");
  const doomed = await sdk.PosConnect.create(options);
  await fails(
    doomed.connect({
      get onStatus() {
        doomed.destroy();
        return undefined;
      },
    }),
    "destroyed",
  );
}

export async function a_getter_that_aborts_or_destroys_leaves_no_rejection_behind() {
  const { sdk, options } = await made();
  const aborting = () => {
    const controller = new AbortController();
    return {
      get signal() {
        controller.abort();
        return controller.signal;
      },
    };
  };
  for (const end of ["abort", "destroy"]) {
    for (const call of ["connect", "createIntegration", "waitUntilDone", "fetchTokens", "status", "cancel"]) {
      const pos = await sdk.PosConnect.create({ ...options, storeId: `${call} ${end}` });
      const object = ["connect", "createIntegration"].includes(call) ? pos : await pos.createIntegration();
      const destroying = {
        get signal() {
          pos.destroy();
          return undefined;
        },
      };
      const outcome = await tools.settled(object[call](end === "abort" ? aborting() : destroying));
      equal(
        ["aborted", "destroyed"].includes(outcome.error?.code),
        true,
        `${call}, ${end}: ${outcome.error ?? JSON.stringify(outcome)}`,
      );
      pos.destroy();
    }
  }
  // Rejections that nobody handles are told a moment later.
  await tools.sleep(300);
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

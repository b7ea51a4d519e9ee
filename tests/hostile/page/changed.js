// What a page's libraries, its extensions and its policy change under the package: the whole way of a till in each.
import { ACCESS_TOKEN } from "./service.js";
import * as tools from "./tools.js";

const { equal, resolves } = tools;

/** Connects, asks for a receipt, sends an order, makes a mistake. */
async function wholeWay() {
  const { PosConnect } = await tools.load();
  const { service, options } = tools.till();
  const pos = await PosConnect.create({ ...options, ereceipt: true, accessToken: () => ACCESS_TOKEN });
  const flow = pos.connect();
  await Promise.race([flow, tools.consent(service)]);
  equal((await resolves(flow)).accessToken.length > 0, true);
  const asked = pos.receiptFor({ orderId: "7", region: "IL" });
  await tools.type(tools.NUMBER);
  await tools.sleep(500);
  tools.press("Enter", tools.part("display"));
  const receipt = await resolves(asked);
  equal(receipt.kind, "ereceipt");
  const line = { name: "Bread", quantity: 1, amount: 5 };
  const order = { externalId: "7", time: "2026-11-23T10:30:00Z", currency: "ILS", total: 5, lines: [line] };
  equal((await resolves(pos.orders.send(order, { receipt }))).state, "accepted");
  const { body } = service.requests.find(({ operation }) => operation === "order");
  equal(JSON.parse(body).lines[0].name, "Bread");
  equal((await resolves(pos.orders.list())).length, 0);
  equal((await tools.fails(pos.connect({ zzz: 1 }), "invalid_option")).operation, "connect");
  pos.destroy();
}

/** With Prototype 1.6's idea of how a list is made a text. */
export async function a_library_that_extends_the_prototypes() {
  await import("./polluted.js");
  Array.prototype.toJSON = function () {
    return `[${this.map((one) => JSON.stringify(one)).join(", ")}]`;
  };
  await wholeWay();
  delete Array.prototype.toJSON;
}

/** SES, which wallets bring into pages. */
export async function an_extension_that_freezes_the_builtins() {
  const script = Object.assign(document.createElement("script"), { src: "/lockdown.umd.js" });
  const loaded = new Promise((resolve) => (script.onload = resolve));
  document.head.append(script);
  await loaded;
  lockdown();
  equal(Object.isFrozen(Object.prototype), true);
  await wholeWay();
}

export async function a_policy_that_asks_for_trusted_types() {
  const policy = Object.assign(document.createElement("meta"), {
    content: "require-trusted-types-for 'script'; trusted-types 'none'",
  });
  policy.httpEquiv = "Content-Security-Policy";
  document.head.append(policy);
  let isRefused = false;
  try {
    document.createElement("div").innerHTML = "<b>";
  } catch {
    isRefused = true;
  }
  // Where the engine has no Trusted Types, nothing can be asked of it.
  equal(isRefused, typeof trustedTypes !== "undefined");
  await wholeWay();
}

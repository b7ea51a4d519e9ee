// Libraries that extend the prototypes of objects and lists, with Prototype 1.6's idea of how a list is made a text.
import { ACCESS_TOKEN } from "./service.js";
import * as tools from "./tools.js";

const { equal, resolves } = tools;

/** The whole way of a till: connect, a receipt, an order, an error. */
export async function a_library_that_extends_the_prototypes() {
  await import("./polluted.js");
  Array.prototype.toJSON = function () {
    return `[${this.map((one) => JSON.stringify(one)).join(", ")}]`;
  };
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
  delete Array.prototype.toJSON;
}

// Orders that an earlier page has left before their receipt was there: by a reload, a crash or a closed tab.
import { client, onInterrupted } from "./client.js";
import { eachLeft, note, orderOf } from "./journal.js";
import { sendOrder } from "./sending.js";

/** Calls `print` with each order whose customer has nothing yet, and sends what was not on its way. */
export function recoverOrders(print) {
  const printed = new Set(); // The package may have had an order that nobody has heard of.
  const printOnce = (order) => {
    // "sent" may be said of a code that nobody has scanned.
    if (printed.has(order.id) || orderOf(order.id)?.receipt === "printed") return;
    printed.add(order.id);
    print(order);
  };
  onInterrupted((left) => {
    printOnce(orderOf(left.externalId) ?? orderFrom(left));
    note(left.externalId, { receipt: "printed" });
  });
  eachLeft(async (order) => {
    const isTexted = order.service !== null && (await hasMessage(order));
    if (!isTexted) printOnce(order);
    if (order.service === null) await sendOrder(order);
    note(order.id, { receipt: isTexted ? "sent" : "printed" });
  });
}

/** Whether a message brings the receipt, as far as anybody can say now. */
async function hasMessage({ id }) {
  const pos = await client();
  const waits = (await pos.orders.list()).find(({ externalId }) => externalId === id);
  if (waits) return waits.state === "queued" && waits.hasEreceipt;
  const record = await pos.orders.get(id).catch(() => null);
  return ["queued", "sent"].includes(record?.ereceipt);
}

/** What the package has kept of an order that this till's list has not. */
function orderFrom({ externalId: id, order: { displayNumber: number, total, tax = 0, payment, time, ...order } }) {
  const money = { subtotal: total - tax, tax, total, payment: payment && { kind: payment } };
  return { ...order, id, number, ...money, at: new Date(time) };
}

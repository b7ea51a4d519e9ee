// An order goes with its e-receipt: to a service that accepts it, that refuses the e-receipt, or that is not there. The
// request's body has the number, and nothing else may.
import { advance, settled, until } from "./clock.js";
import { record } from "./recorders.js";

/** Longer than `orders.send` waits for an answer. */
const PATIENCE_MS = 3100;

const lines = [{ name: "Bread", quantity: 1, amount: 1 }];
const orderOf = (externalId) => ({ externalId, time: "2026-11-25T10:30:00+02:00", currency: "ILS", total: 1, lines });

const accepted = (order) =>
  Response.json({ success: true, order, receivedAt: "2026-11-25T08:30:00Z", ereceipt: "queued" });
const refused = () => Response.json({ success: false, code: "ereceipt_not_enabled" }, { status: 403 });

/** The service's answers in turn, or no network. Gives, call by call, whether the body had the number. */
function serve(at, answers) {
  const { fetch } = globalThis;
  at.afterwards(() => (globalThis.fetch = fetch));
  const calls = [];
  globalThis.fetch = async (url, init) => {
    const { ereceipt, ...order } = JSON.parse(init.body);
    const { phone, ...rest } = ereceipt ?? {};
    record("requests", "fetch", [url, { ...init, body: "" }, order, rest]);
    calls.push(phone === at.number.e164);
    const answer = answers[calls.length - 1];
    if (answer === undefined) throw new TypeError("Failed to fetch");
    return answer(order);
  };
  return calls;
}

const same = (found, wanted) => {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`the order ended as ${one} instead of ${other}`);
};

/** Sends the number, then the order with it. The page looks at all that it is told of the order. */
async function sell(at, answers, wanted) {
  // What a case that failed has left would be sent first.
  for (const { id } of await at.till.orders.list()) await at.till.orders.discard(id);
  await at.tap("send");
  const receipt = await at.outcome;
  const calls = serve(at, answers);
  const sending = at.till.orders.send(orderOf(receipt.orderId), { receipt });
  if (answers.length === 0) {
    await until(() => at.changes.some(({ state }) => state === "postponed"), "the try failed");
    await advance(PATIENCE_MS);
  }
  const sent = await settled(sending, "the order is accepted or queued");
  const waiting = await at.till.orders.list();
  record("outcome", "orders.send", [sent, waiting, at.changes]);
  const tried = calls.slice(0, Math.max(1, answers.length));
  same([sent.state, sent.print, tried, waiting.length], wanted);
  return waiting;
}

export const sentWithOrder = (at) => sell(at, [accepted], ["accepted", false, [true], 0]);

export const refusedWithOrder = (at) => sell(at, [refused, accepted], ["accepted", true, [true, false], 0]);

/** It is looked for while the order waits, and once more when it is gone. */
export async function queuedWithOrder(at) {
  const [{ id }] = await sell(at, [], ["queued", true, [true], 1]);
  await at.lookEverywhere();
  await at.till.orders.discard(id);
}

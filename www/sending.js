// Orders go to the service: now, or when the network is back and an account is connected.
import { client } from "./client.js";
import { note } from "./journal.js";
import { currencyCode } from "./money.js";
import { Steps } from "./steps.js";

const steps = new Steps();
const LOOK_FOR = 15_000;

/** Sells an order by `charge`. Gives the result of the question, and what became of the order. */
export async function charge(order, options) {
  const pos = await client();
  steps.call("pos.charge(order, { region, print })", `Order ${order.number}.`);
  const before = messages(); // Not awaited: first of all, the order is kept.
  try {
    const sold = await pos.charge(bodyOf(order), options);
    told(order, sold);
    return { receipt: sold.receipt, sent: withMessage(sold, await before) };
  } catch (error) {
    steps.failure(error);
    // It was printed, unless an option is wrong. What the service refuses stays in the outbox, for somebody to look at.
    options.print({ reason: "refused" });
    return { receipt: { kind: "print", print: true, reason: "refused" }, sent: { state: "refused", print: true } };
  }
}

/** Sends an order with the result of `receiptFor`, if the service has to do with it. Gives what became of the order. */
export async function sendOrder(order, receipt) {
  const pos = await client();
  steps.call("pos.orders.send(order, { receipt })", `Order ${order.number}.`);
  const before = await messages();
  try {
    const sent = await pos.orders.send(bodyOf(order), { receipt });
    told(order, sent);
    return withMessage(sent, before);
  } catch (error) {
    steps.failure(error);
    // It stays in the outbox, where somebody can look at it. The customer gets paper.
    return { state: "refused", print: true, message: null };
  }
}

function withMessage(sent, before) {
  const hasMessage = sent.state === "accepted" && ["queued", "sent"].includes(sent.ereceipt);
  return { ...sent, message: hasMessage ? arrived(before) : null };
}

function bodyOf({ id, number, refundOf, at, lines, tax, total, payment }) {
  const items = lines.map(({ price, ...line }) => ({ ...line, unitPrice: price }));
  const names = { externalId: id, displayNumber: String(number), refundOf };
  return { ...names, time: at, currency: currencyCode, total, tax, payment: payment?.kind, lines: items };
}

function told({ id, number }, { state, ereceipt, error }) {
  note(id, { waits: state === "queued" });
  if (state === "queued") {
    const reason = error ? `The last try failed: ${error.code}.` : "No answer yet.";
    steps.over();
    steps.note(`Order ${number} is queued.`, `${reason} It is sent as soon as that works.`);
  } else {
    steps.done(`Order ${number} accepted.`, ereceipt ? `E-receipt: ${ereceipt}.` : "Without an e-receipt.");
  }
}

async function messages() {
  try {
    return await (await fetch("messages.json", { cache: "no-store" })).json();
  } catch {
    return [];
  }
}

/**
 * The message on the shopper's phone, `{ text, url, locale }`: the demo's service shows its newest ones, and sends
 * none. Null if it does not come.
 */
async function arrived(before) {
  const known = new Set(before.map(({ id }) => id));
  for (const end = Date.now() + LOOK_FOR; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const fresh = (await messages()).find(({ id }) => !known.has(id));
    if (!fresh) continue;
    const start = fresh.text.lastIndexOf("http");
    const [text, url] = [fresh.text.slice(0, start), fresh.text.slice(start)];
    steps.note("The text message is simulated.", text, url);
    return { text, url, locale: fresh.locale };
  }
  return null;
}

// The last orders of this till and how far each is: for the cashier, and for the page after a reload or a crash. Never
// a phone number.
import { read, write } from "./storage.js";

const KEY = "till-orders";
const MOST = 20;
const forBrowser = () => localStorage;
const lockOf = ({ id }) => `till-order-${id}`;

/**
 * The orders as they were charged, the newest first. Each has `receipt`: what the customer has, "sent", "printed" or
 * "none", and null until it is known. `end`: the last digits of the number that has it. `service`: "kept" once the
 * package keeps the order, then what became of it at the service, "queued", "accepted", "refused" or "discarded"; null
 * before. `waits`: the panel has it as queued. `isTexted`: the service has taken its e-receipt.
 */
export function orders() {
  const kept = read(forBrowser, KEY);
  return Array.isArray(kept) ? kept.map((order) => ({ ...order, at: new Date(order.at) })) : [];
}

export const orderOf = (id) => orders().find((order) => order.id === id);

/** Its event "change" says that there is news of an order. */
export const news = new EventTarget();

/** Keeps what is new about an order. */
export function note(id, changed) {
  write(forBrowser, KEY, orders().map((order) => (order.id === id ? { ...order, ...changed } : order)));
  news.dispatchEvent(new Event("change"));
}

/** Keeps a paid order before anything else is done with it. */
export function keepOrder(order) {
  const kept = orders();
  const open = { service: null, ...order, receipt: null };
  const isKnown = kept.some(({ id }) => id === order.id);
  // One that is texted later keeps its place, before its refund.
  const all = isKnown ? kept.map((one) => (one.id === order.id ? open : one)) : [open, ...kept].slice(0, MOST);
  write(forBrowser, KEY, all);
}

/** The number of an order that is refunded; what somebody typed for one that this till does not know. */
export const numberOf = (id) => String(orderOf(id)?.number ?? id);

/** Lets other pages know that this one gives an order its receipt, until `work` has ended. */
export const hold = (order, work) => void navigator.locks.request(lockOf(order), () => work);

/** Calls `recover` with each order whose page has gone before the receipt was there, once it has gone. */
export function eachLeft(recover) {
  for (const left of orders().filter(isOpen))
    void navigator.locks.request(lockOf(left), () => {
      const order = orderOf(left.id);
      return order && isOpen(order) ? recover(order) : null;
    });
}

const isOpen = ({ receipt }) => receipt === null;

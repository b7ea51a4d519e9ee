// What a reload must not take away: the order that is being rung up, and the number of the next one.
import { read, write } from "./storage.js";

const CART = "till-cart";
const NUMBER = "till-order-number";
let next = 1041; // For a browser that keeps nothing.
// Each tab rings up an order of its own; numbers are counted for all of them.
const forTab = () => sessionStorage;
const forBrowser = () => localStorage;

/** Puts back what an earlier page has left in the cart, and keeps every change. */
export function keepCart(cart) {
  const kept = read(forTab, CART);
  if (Array.isArray(kept?.lines)) cart.restore(kept);
  cart.addEventListener("change", () => write(forTab, CART, cart.state));
}

/** The number of the next order. Another tab may take it first. */
export function orderNumber() {
  const kept = read(forBrowser, NUMBER);
  return Number.isSafeInteger(kept) ? kept : next;
}

export function takeOrderNumber() {
  const number = orderNumber();
  next = number + 1;
  write(forBrowser, NUMBER, next);
  return number;
}

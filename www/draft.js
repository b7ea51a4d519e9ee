// What a reload must not take away: the order that is being rung up, and the number of the next one.
import { products } from "./catalog.js";
import { read, write } from "./storage.js";

const CART = "till-cart";
const NUMBER = "till-order-number";
const FIRST_NUMBER = 1041;
// Each tab rings up an order of its own; numbers are counted for all of them.
const forTab = () => sessionStorage;
const forBrowser = () => localStorage;

/** Puts back what an earlier page has left in the cart, and keeps every change. */
export function keepCart(cart) {
  const kept = read(forTab, CART);
  const isLine = ([id, thousandths]) => find(id) && Number.isSafeInteger(thousandths) && thousandths > 0;
  if (Array.isArray(kept?.lines))
    cart.restore({ refundOf: kept.refundOf, lines: kept.lines.filter(isLine).map(([id, count]) => [find(id), count]) });
  cart.addEventListener("change", () => {
    const { refundOf, lines } = cart.state;
    write(forTab, CART, { refundOf, lines: lines.map(([{ id }, count]) => [id, count]) });
  });
}

/** The number of the next order. */
export function orderNumber() {
  const kept = read(forBrowser, NUMBER);
  return Number.isSafeInteger(kept) ? kept : FIRST_NUMBER;
}

export const keepOrderNumber = (number) => write(forBrowser, NUMBER, number);

const find = (id) => products.find((product) => product.id === id);

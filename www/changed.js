// What was changed elsewhere, for the cashier: one line, until it is read or the order after this one begins.
import { orderNumber } from "./draft.js";

const line = document.getElementById("changed");
let order; // The one that was rung up when the line came.

/** Shows a sentence. */
export function tellChange(words) {
  order = orderNumber();
  line.querySelector("p").textContent = words;
  line.hidden = false;
}

/** What it said is over. */
export function clearChange() {
  line.hidden = true;
}

/** Clears the line once another order is rung up. Has to be called with each change of an order. */
export function clearAtNextOrder() {
  if (orderNumber() !== order) clearChange();
}

line.querySelector("button").addEventListener("click", clearChange);

import { taxOn } from "./money.js";

// Scales have grams, and sums of fractions are not exact in JavaScript: quantities are kept in thousandths.
const PIECE = 1000;

/** One order while it is rung up: a sale, or the refund of one. Fires `change` after every change. */
export class Cart extends EventTarget {
  #thousandths = new Map(); // product → quantity, in the order they were added
  #refundOf;

  /** The ID of the order that this one refunds; none for a sale. */
  get refundOf() {
    return this.#refundOf;
  }

  get lines() {
    return [...this.#thousandths].map(([product, thousandths]) => ({
      product,
      quantity: this.#signed(thousandths) / PIECE,
      amount: this.#signed(amountOf(product, thousandths)),
    }));
  }

  /** How many things: what is weighed is one. */
  get count() {
    return [...this.#thousandths].reduce((sum, [{ grams }, thousandths]) => sum + (grams ? 1 : thousandths / PIECE), 0);
  }

  get subtotal() {
    return this.lines.reduce((sum, line) => sum + line.amount, 0);
  }

  get tax() {
    return this.#signed(taxOn(Math.abs(this.subtotal)));
  }

  get total() {
    return this.subtotal + this.tax;
  }

  quantityOf(product) {
    return (this.#thousandths.get(product) ?? 0) / PIECE;
  }

  /** Adds `step` of a product, or takes it away; a line that reaches zero is gone. A stand-in for the scale weighs. */
  add(product, step = 1) {
    const thousandths = (this.#thousandths.get(product) ?? 0) + step * (product.grams ?? PIECE);
    if (thousandths > 0) this.#thousandths.set(product, thousandths);
    else this.#thousandths.delete(product);
    this.dispatchEvent(new Event("change"));
  }

  /** What is in the order, and what comes, is given back. */
  refund(id) {
    this.#refundOf = id;
    this.dispatchEvent(new Event("change"));
  }

  clear() {
    this.restore({ lines: [] });
  }

  /** What `restore` takes: `{ refundOf, lines }`, with a product and its thousandths in each line. */
  get state() {
    return { refundOf: this.#refundOf, lines: [...this.#thousandths] };
  }

  restore({ refundOf, lines }) {
    this.#thousandths = new Map(lines);
    this.refund(refundOf);
  }

  // Of 0 it gives 0: a minus before it would be shown.
  #signed(number) {
    return this.#refundOf && number ? -number : number;
  }
}

/** Rounded once, for the line. */
const amountOf = ({ price }, thousandths) => Math.round((price * thousandths) / PIECE);

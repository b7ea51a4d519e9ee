import { products } from "./catalog.js";
import { taxOn } from "./money.js";

// Scales have grams, and sums of fractions are not exact in JavaScript: quantities are kept in thousandths.
const PIECE = 1000;

/** One order while it is rung up: a sale, or the refund of one. Fires `change` after every change. */
export class Cart extends EventTarget {
  #thousandths = new Map(); // product → quantity, in the order they were added
  #refundOf;
  #discount = null; // On the whole order: `{ percent }` or `{ amount }`, in minor units.

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

  /** The discount as a line; null if there is none. */
  get reduction() {
    const amount = -this.#signed(this.#discounted());
    return amount ? { name: discountName(this.#discount), quantity: this.#signed(1), amount } : null;
  }

  /** What a receipt lists: each line, and the discount as the last one. */
  get items() {
    const items = this.lines.map(({ product: { name, unit, price }, ...line }) => ({ name, unit, price, ...line }));
    return this.reduction ? [...items, this.reduction] : items;
  }

  /** How many things: what is weighed is one. */
  get count() {
    return [...this.#thousandths].reduce((sum, [{ grams }, thousandths]) => sum + (grams ? 1 : thousandths / PIECE), 0);
  }

  get subtotal() {
    return this.items.reduce((sum, { amount }) => sum + amount, 0);
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
    this.#set(product, (this.#thousandths.get(product) ?? 0) + step * (product.grams ?? PIECE));
  }

  /** Makes the quantity of a product what it is; 0 voids its line. */
  setQuantity(product, quantity) {
    this.#set(product, Math.round(quantity * PIECE));
  }

  #set(product, thousandths) {
    if (thousandths > 0) this.#thousandths.set(product, thousandths);
    else this.#thousandths.delete(product);
    this.dispatchEvent(new Event("change"));
  }

  /** What is in the order, and what comes, is given back. */
  refund(id) {
    this.#refundOf = id;
    this.dispatchEvent(new Event("change"));
  }

  /** `{ percent }`, `{ amount }` in minor units, or null. It never is more than the order. */
  discount(discount) {
    this.#discount = discount;
    this.dispatchEvent(new Event("change"));
  }

  clear() {
    this.restore({ lines: [] });
  }

  /** What `restore` takes: `{ refundOf, discount, lines }`, with a product's ID and its thousandths in each line. */
  get state() {
    const lines = [...this.#thousandths].map(([{ id }, thousandths]) => [id, thousandths]);
    return { refundOf: this.#refundOf, discount: this.#discount, lines };
  }

  /** Leaves out what is not sold any more. */
  restore({ refundOf, discount = null, lines }) {
    const isQuantity = (thousandths) => Number.isSafeInteger(thousandths) && thousandths > 0;
    const known = lines.map(([id, thousandths]) => [products.find((product) => product.id === id), thousandths]);
    this.#thousandths = new Map(known.filter(([product, thousandths]) => product && isQuantity(thousandths)));
    this.#discount = discount;
    this.refund(refundOf);
  }

  /** What the discount takes away, at most all. */
  #discounted() {
    const { percent = 0, amount } = this.#discount ?? {};
    const all = [...this.#thousandths].reduce((sum, [product, count]) => sum + amountOf(product, count), 0);
    return Math.min(all, amount ?? Math.round((all * percent) / 100));
  }

  // It gives 0 for 0: a minus before it would be shown.
  #signed(number) {
    return this.#refundOf && number ? -number : number;
  }
}

/** Rounded once, for the line. */
const amountOf = ({ price }, thousandths) => Math.round((price * thousandths) / PIECE);

const discountName = ({ percent }) => (percent ? `Discount ${percent}%` : "Discount");

import { products } from "./catalog.js";
import { say } from "./language.js";
import { formatMoney, quantityOf, taxOn } from "./money.js";

// Scales have grams, and sums of fractions are not exact in JavaScript: quantities are kept in thousandths.
const PIECE = 1000;

/** One order while it is rung up: a sale, or the refund of one. Fires `change` after every change. */
export class Cart extends EventTarget {
  #thousandths = new Map(); // product → quantity, in the order they were added
  #refundOf;
  #discount = null; // On the whole order: `{ percent }` or `{ amount }`, in minor units.
  #sold = null; // What the refunded order had of each product; null where nobody knows, and for a sale.
  #left = null; // What of it is not given back yet.

  /** The ID of the order that this one refunds; none for a sale. */
  get refundOf() {
    return this.#refundOf;
  }

  /** Whether it gives back what was sold, no more, and with the discount of then. */
  get isLimited() {
    return this.#sold !== null;
  }

  /** Whether there can be more of a product. */
  takes(product) {
    return (this.#thousandths.get(product) ?? 0) < this.#most(product);
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

  /** What a screen reader says once the quantity of a product has changed. */
  storyOf(product) {
    const quantity = quantityOf(this.quantityOf(product), product.unit);
    const values = { name: say(product.name), quantity, total: formatMoney(this.total) };
    return say("{name}, {quantity} in the order. Total {total}.", values);
  }

  /** Adds `step` of a product, or takes it away; a line that reaches zero is gone. A stand-in for the scale weighs. */
  add(product, step = 1) {
    this.#set(product, (this.#thousandths.get(product) ?? 0) + step * (product.grams ?? PIECE));
  }

  /** Makes the quantity of a product what it is; 0 voids its line. */
  setQuantity(product, quantity) {
    this.#set(product, Math.round(quantity * PIECE));
  }

  #most(product) {
    return this.#left ? (this.#left.get(product) ?? 0) : Number.POSITIVE_INFINITY;
  }

  #set(product, wanted) {
    const thousandths = Math.min(wanted, this.#most(product));
    if (thousandths > 0) this.#thousandths.set(product, thousandths);
    else this.#thousandths.delete(product);
    this.dispatchEvent(new Event("change"));
  }

  /** What is in the order, and what comes, is given back: nobody knows what was sold. */
  refund(id) {
    this.restore({ ...this.state, sold: null, left: null, refundOf: id });
  }

  /** `{ percent }`, `{ amount }` in minor units, or null. It never is more than the order. */
  discount(discount) {
    this.#discount = discount;
    this.dispatchEvent(new Event("change"));
  }

  clear() {
    this.restore({ lines: [] });
  }

  /**
   * What `restore` takes: `{ refundOf, discount, lines, sold, left }`, with a product's ID and its thousandths in each
   * line, in each of those that were sold, and in each of those that are left to refund.
   */
  get state() {
    const sold = this.#sold && linesOf(this.#sold);
    const left = this.#left && linesOf(this.#left);
    return { refundOf: this.#refundOf, discount: this.#discount, lines: linesOf(this.#thousandths), sold, left };
  }

  /** Leaves out what is not sold any more. */
  restore({ refundOf, discount = null, lines, sold = null, left = sold }) {
    this.#thousandths = quantitiesIn(lines);
    this.#sold = sold && quantitiesIn(sold);
    this.#left = left && quantitiesIn(left);
    this.#discount = discount;
    this.#refundOf = refundOf;
    this.dispatchEvent(new Event("change"));
  }

  /** What the discount takes away, at most all; of what is given back, its share. */
  #discounted() {
    const { percent = 0, amount } = this.#discount ?? {};
    const all = sumOf(this.#thousandths);
    if (amount === undefined) return Math.round((all * percent) / 100);
    if (!this.#sold) return Math.min(all, amount);
    const sold = sumOf(this.#sold);
    return Math.round((Math.min(amount, sold) * all) / sold);
  }

  // It gives 0 for 0: a minus before it would be shown.
  #signed(number) {
    return this.#refundOf && number ? -number : number;
  }
}

/** Rounded once, for the line. */
const amountOf = ({ price }, thousandths) => Math.round((price * thousandths) / PIECE);

const sumOf = (quantities) => [...quantities].reduce((sum, [product, count]) => sum + amountOf(product, count), 0);

const linesOf = (quantities) => [...quantities].map(([{ id }, thousandths]) => [id, thousandths]);

function quantitiesIn(lines) {
  const isQuantity = (thousandths) => Number.isSafeInteger(thousandths) && thousandths > 0;
  const known = lines.map(([id, thousandths]) => [products.find((product) => product.id === id), thousandths]);
  return new Map(known.filter(([product, thousandths]) => product && isQuantity(thousandths)));
}

const discountName = ({ percent }) => (percent ? `Discount ${percent}%` : "Discount");

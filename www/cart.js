import { taxOn } from "./money.js";

/** One order while it is rung up. Fires `change` after every change. */
export class Cart extends EventTarget {
  #quantities = new Map(); // product → quantity, in the order they were added

  get lines() {
    return [...this.#quantities].map(([product, quantity]) => ({
      product,
      quantity,
      amount: product.price * quantity,
    }));
  }

  get count() {
    return this.lines.reduce((sum, line) => sum + line.quantity, 0);
  }

  get subtotal() {
    return this.lines.reduce((sum, line) => sum + line.amount, 0);
  }

  get tax() {
    return taxOn(this.subtotal);
  }

  get total() {
    return this.subtotal + this.tax;
  }

  quantityOf(product) {
    return this.#quantities.get(product) ?? 0;
  }

  /** Adds `step` of a product, or takes it away; a line that reaches zero is gone. */
  add(product, step = 1) {
    const quantity = this.quantityOf(product) + step;
    if (quantity > 0) this.#quantities.set(product, quantity);
    else this.#quantities.delete(product);
    this.dispatchEvent(new Event("change"));
  }

  clear() {
    this.#quantities.clear();
    this.dispatchEvent(new Event("change"));
  }
}

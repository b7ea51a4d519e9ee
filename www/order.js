import { keepOrderNumber, orderNumber } from "./draft.js";
import { formatMoney, formatPrice, taxName } from "./money.js";
import { ask } from "./question.js";

const byId = (id) => document.getElementById(id);

/**
 * The order beside the catalog: its lines, its totals, and the charge that completes it. `completed` is given each paid
 * order.
 */
export class OrderPanel {
  #cart;
  #announce;
  #completed;
  #number = orderNumber();
  #cleared = null; // What "Clear" took away, until the next item.
  #last = ""; // The ID of the order before: mostly it is that one which is refunded.
  #rows = new Map(); // product → list item; kept across changes so that the focus stays on the button that was pressed

  constructor(cart, announce, completed) {
    this.#cart = cart;
    this.#announce = announce;
    this.#completed = completed;
    byId("tax-name").textContent = taxName;
    byId("charge").addEventListener("click", () => this.#charge());
    byId("refund").addEventListener("click", () => this.#refund());
    byId("clear-order").addEventListener("click", () => this.#clear());
    cart.addEventListener("change", () => this.#update());
    this.#update();
  }

  #update() {
    const { lines, count, subtotal, tax, total, refundOf } = this.#cart;
    byId("order-title").textContent = `Order ${this.#number}`;
    byId("subtotal").textContent = formatMoney(subtotal);
    byId("tax").textContent = formatMoney(tax);
    byId("total").textContent = formatMoney(total);
    const verb = refundOf ? "Refund" : "Charge";
    byId("charge").textContent = count ? `${verb} ${formatMoney(Math.abs(total))}` : verb;
    // Not `disabled`: a button that is disabled under the cashier's finger loses the keyboard focus.
    byId("charge").setAttribute("aria-disabled", String(count === 0));
    if (count || refundOf) this.#cleared = null;
    byId("clear-order").textContent = this.#cleared ? "Undo" : "Clear";
    byId("clear-order").ariaLabel = this.#cleared ? "Undo: the order comes back" : "Clear the order";
    byId("clear-order").setAttribute("aria-disabled", String(count === 0 && !refundOf && !this.#cleared));
    byId("order-empty").hidden = count > 0;
    byId("order-count").hidden = count === 0;
    byId("order-count").textContent = count;
    byId("order-sum").textContent = count ? formatMoney(total) : "";
    if (count) byId("paid").textContent = "";
    this.#updateRows(lines);
  }

  #updateRows(lines) {
    const sold = new Set(lines.map((line) => line.product));
    for (const [product, row] of this.#rows) {
      if (sold.has(product)) continue;
      const hadFocus = row.contains(document.activeElement);
      const neighbor = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      this.#rows.delete(product);
      if (hadFocus) (neighbor?.querySelector(".less") ?? byId("order-title")).focus();
    }
    for (const { product, quantity, amount } of lines) {
      let row = this.#rows.get(product);
      if (!row) {
        row = this.#rowOf(product);
        this.#rows.set(product, row);
        byId("lines").append(row);
        row.scrollIntoView({ block: "nearest" });
      }
      row.querySelector(".count").textContent = quantity;
      row.querySelector(".amount").textContent = formatMoney(amount);
      row.querySelector(".each").hidden = quantity === 1;
    }
  }

  #rowOf(product) {
    const row = byId("line-template").content.firstElementChild.cloneNode(true);
    row.querySelector(".name").textContent = product.name;
    row.querySelector(".each").textContent = product.unit ? formatPrice(product) : `${formatMoney(product.price)} each`;
    row.querySelector(".quantity").setAttribute("aria-label", `Quantity of ${product.name}`);
    for (const [part, label, step] of [
      [".less", "One less", -1],
      [".more", "One more", 1],
    ]) {
      const button = row.querySelector(part);
      button.setAttribute("aria-label", `${label} ${product.name}`);
      button.addEventListener("click", () => {
        this.#cart.add(product, step);
        this.#announce(
          `${product.name}, ${this.#cart.quantityOf(product)} in the order. Total ${formatMoney(this.#cart.total)}.`,
        );
      });
    }
    return row;
  }

  #charge() {
    if (this.#cart.count === 0) return;
    const { lines, subtotal, tax, total, refundOf } = this.#cart;
    // What the shopper reads on the receipt; another till may have the same number.
    const id = `${this.#number}-${crypto.randomUUID().slice(0, 8)}`;
    const order = { id, refundOf, number: this.#number, lines, subtotal, tax, total, at: new Date() };
    this.#number += 1;
    keepOrderNumber(this.#number);
    this.#last = id;
    this.#cart.clear();
    const verb = refundOf ? "refunded" : "paid";
    byId("paid").textContent = `Order ${order.number} ${verb}, ${formatMoney(Math.abs(total))}.`;
    this.#completed(order);
  }

  /** Goods come back: asks for the order in which they were sold. */
  async #refund() {
    const { answer, dialog } = await ask("refund-template", (question) => {
      question.querySelector("input").value = this.#last;
    });
    if (answer === "refund") this.#cart.refund(dialog.querySelector("input").value);
  }

  /** One tap takes the order away, and one brings it back. */
  #clear() {
    if (this.#cleared) {
      this.#cart.restore(this.#cleared);
      this.#announce("The order is back.");
    } else if (this.#cart.count || this.#cart.refundOf) {
      const cleared = this.#cart.state;
      this.#cart.clear();
      this.#cleared = cleared;
      this.#update();
      this.#announce("The order is empty.");
    }
  }
}

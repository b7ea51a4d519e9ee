import { askDiscount, askQuantity } from "./correction.js";
import { orderNumber, takeOrderNumber } from "./draft.js";
import { numberOf } from "./journal.js";
import { onLanguage, say } from "./language.js";
import { formatMoney, formatPrice, quantityOf, taxNamed } from "./money.js";
import { askPayment } from "./payment.js";

const byId = (id) => document.getElementById(id);
const IS_KIOSK = "kiosk" in document.documentElement.dataset;
const VERB = IS_KIOSK ? "Pay" : "Charge"; // Who stands there.
const UNDO_IN_KIOSK = 10_000; // ms: then somebody else may stand there.

/**
 * The order beside the catalog: its lines, its totals, and the charge that completes it. `completed` is given each paid
 * order, and keeps it before it returns.
 */
export class OrderPanel {
  #cart;
  #announce;
  #completed;
  #cleared = null; // What "Clear" took away, until the next item.
  #rows = new Map(); // product → list item; kept across changes, so that a pressed button keeps the focus

  constructor(cart, announce, completed) {
    this.#cart = cart;
    this.#announce = announce;
    this.#completed = completed;
    byId("charge").addEventListener("click", () => this.#charge());
    byId("discount").addEventListener("click", () => askDiscount(cart));
    byId("clear-order").addEventListener("click", () => this.#clear());
    cart.addEventListener("change", () => this.#update());
    onLanguage(() => this.#update());
    this.#update();
  }

  #update() {
    const { lines, reduction, count, subtotal, tax, total, refundOf, isLimited } = this.#cart;
    byId("order-title").textContent = titleOf(orderNumber(), refundOf);
    byId("reduction").hidden = !reduction;
    byId("reduction-name").textContent = reduction?.name ?? "";
    byId("reduction-amount").textContent = formatMoney(reduction?.amount ?? 0);
    byId("discount").hidden = isLimited;
    byId("discount").setAttribute("aria-disabled", String(count === 0));
    byId("subtotal").textContent = formatMoney(subtotal);
    byId("tax-name").textContent = taxNamed(say("Tax"));
    byId("tax").textContent = formatMoney(tax);
    byId("total").textContent = formatMoney(total);
    const verb = refundOf ? "Refund" : say(VERB);
    const amount = formatMoney(Math.abs(total));
    byId("charge").textContent = count ? say("{verb} {amount}", { verb, amount }) : verb;
    // Not `disabled`: a button that is disabled under the cashier's finger loses the keyboard focus.
    byId("charge").setAttribute("aria-disabled", String(count === 0));
    if (count || refundOf) this.#cleared = null;
    byId("clear-order").textContent = say(this.#cleared ? "Undo" : "Clear");
    byId("clear-order").ariaLabel = say(this.#cleared ? "Undo: the order comes back" : "Clear the order");
    byId("clear-order").setAttribute("aria-disabled", String(count === 0 && !refundOf && !this.#cleared));
    byId("order-empty").hidden = count > 0;
    byId("order-count").hidden = count === 0;
    byId("order-count").textContent = count;
    byId("order-sum").textContent = count ? formatMoney(total) : "";
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
      const name = say(product.name);
      const { price, unit } = product;
      row.querySelector(".name").textContent = name;
      const each = unit ? formatPrice(product) : say("{price} each", { price: formatMoney(price) });
      row.querySelector(".each").textContent = each;
      row.querySelector(".quantity").ariaLabel = say("Quantity of {name}", { name });
      row.querySelector(".less").ariaLabel = say("One less {name}", { name });
      row.querySelector(".more").ariaLabel = say("One more {name}", { name });
      // What is given back is counted as what is sold: its amount has the minus.
      const count = quantityOf(Math.abs(quantity), unit);
      row.querySelector(".count").textContent = count;
      row.querySelector(".count").ariaLabel = say("{count} {name}: change or remove", { count, name });
      row.querySelector(".amount").textContent = formatMoney(amount);
      row.querySelector(".each").hidden = quantity === 1;
      row.querySelector(".more").setAttribute("aria-disabled", String(!this.#cart.takes(product)));
    }
  }

  #rowOf(product) {
    const row = byId("line-template").content.firstElementChild.cloneNode(true);
    row.querySelector(".count").addEventListener("click", () => askQuantity(this.#cart, product));
    for (const [part, step] of [[".less", -1], [".more", 1]]) {
      row.querySelector(part).addEventListener("click", () => {
        this.#cart.add(product, step);
        this.#announce(this.#cart.storyOf(product));
      });
    }
    return row;
  }

  async #charge() {
    if (this.#cart.count === 0) return;
    const { total: toPay, refundOf: refunded } = this.#cart;
    const payment = await askPayment({ title: titleOf(orderNumber(), refunded), total: toPay });
    if (!payment) return;
    const { items: lines, subtotal, tax, total, refundOf, state } = this.#cart;
    const money = { subtotal, tax, total, payment };
    // People say the number. Another till may have the same one, so it is no ID.
    const refunds = refundOf && numberOf(refundOf);
    const names = { id: crypto.randomUUID(), number: takeOrderNumber(), refundOf, refunds };
    const order = { ...names, lines, ...money, cart: state, at: new Date() };
    this.#completed(order);
    this.#cart.clear();
    byId("paid").textContent = paidText(order);
  }

  #forget(cleared) {
    if (this.#cleared !== cleared) return;
    this.#cleared = null;
    this.#update();
  }

  /** One tap takes the order away, and one brings it back. */
  #clear() {
    if (this.#cleared) {
      this.#cart.restore(this.#cleared);
      this.#announce(say("The order is back."));
    } else if (this.#cart.count || this.#cart.refundOf) {
      const cleared = this.#cart.state;
      this.#cart.clear();
      this.#cleared = cleared;
      this.#update();
      this.#announce(say("The order is empty."));
      if (IS_KIOSK) setTimeout(() => this.#forget(cleared), UNDO_IN_KIOSK);
    }
  }
}

/** A refund is called by the order that it gives back. */
const titleOf = (number, refundOf) =>
  refundOf ? `Refund of order ${numberOf(refundOf)}` : say("Order {number}", { number });

function paidText({ number, refunds, total, payment: { given } }) {
  const change = given > total ? ` Change\u00a0${formatMoney(given - total)}.` : "";
  return `Order ${refunds ?? number} ${refunds ? "refunded" : "paid"}, ${formatMoney(Math.abs(total))}.${change}`;
}

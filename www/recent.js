// The last orders of this till: their receipts once more, and their refunds.
import { news, orderOf, orders } from "./journal.js";
import { formatMoney } from "./money.js";
import { ask } from "./question.js";
import { showPart } from "./views.js";

const byId = (id) => document.getElementById(id);
const time = new Intl.DateTimeFormat("en-US", { timeStyle: "short" });
const RECEIPTS = { sent: "receipt on the phone", printed: "receipt printed", none: "no receipt wanted" };
const SERVICE = { accepted: "order sent", refused: "refused by the service", discarded: "discarded" };

/** The header's button. `giveReceipt` asks the customer of an order. */
export function showRecent(cart, printer, giveReceipt) {
  const actions = {
    again: (order) => printer.printAgain(order),
    text(order) {
      byId("paid").textContent = `${titleOf(order)}: its receipt`;
      giveReceipt(order, { isAgain: true });
    },
    refund(order) {
      const left = leftOf(order);
      cart.restore({ ...order.cart, lines: left, left, sold: order.cart.lines, refundOf: order.id });
    },
    other: async () => {
      const { answer, dialog } = await ask("refund-template", (question) => {
        question.querySelector("input").value = orders().find(isRefundable)?.number ?? "";
      });
      const number = dialog.querySelector("input").value;
      // The number is all that anybody knows of another till's order.
      const known = orders().find((order) => String(order.number) === number);
      if (answer !== "refund") return;
      if (known && !isRefundable(known)) await ask("refunded-template");
      else if (known) actions.refund(known);
      else cart.refund(number);
    },
  };
  byId("recent").addEventListener("click", async () => {
    const offersText = await import("./client.js").then(({ offersEreceipts }) => offersEreceipts(), () => false);
    const all = orders();
    const offers = { text: offersText, refund: cart.count === 0 };
    const rows = all.map((order) => rowOf(order, offers));
    const update = () => rows.forEach((row, at) => tell(row, orderOf(all[at].id) ?? all[at]));
    update();
    news.addEventListener("change", update);
    const { answer } = await ask("recent-template", (dialog) => {
      dialog.querySelector("ul").append(...rows);
      dialog.querySelector("p").textContent = noteFor(all.length, cart.count);
      dialog.querySelector("#refund").hidden = cart.count > 0;
    });
    news.removeEventListener("change", update);
    const [action, id] = answer.split(" ");
    if (!action) return;
    showPart("order");
    await actions[action](orderOf(id));
  });
}

function noteFor(count, inCart) {
  if (count === 0) return "No order has been charged yet.";
  return inCart ? "An order is being rung up: charge or clear it before you refund one of these." : "";
}

const refundsOf = (order) => orders().filter((other) => other.refundOf === order.id);

/** What was sold and is not refunded yet: a product's ID and its thousandths in each line. */
function leftOf(order) {
  const left = new Map(order.cart.lines);
  const refunded = refundsOf(order).flatMap(({ cart }) => cart.lines);
  for (const [product, thousandths] of refunded) left.set(product, (left.get(product) ?? 0) - thousandths);
  return [...left].filter(([, thousandths]) => thousandths > 0);
}

const isRefundable = (order) => !order.refundOf && leftOf(order).length > 0;

const titleOf = ({ number, refunds }) => (refunds ? `Refund of order ${refunds}` : `Order ${number}`);

function rowOf(order, { text, refund }) {
  const row = byId("recent-row-template").content.firstElementChild.cloneNode(true);
  const title = titleOf(order);
  row.querySelector(".name").textContent = title;
  row.querySelector(".each").textContent = time.format(order.at);
  row.querySelector(".amount").textContent = formatMoney(order.total);
  row.toggleAttribute("data-refunded", refundsOf(order).length > 0 && !isRefundable(order));
  const offered = { again: true, text, refund: refund && isRefundable(order) };
  for (const button of row.querySelectorAll("button")) {
    button.hidden = !offered[button.value];
    button.ariaLabel = `${button.textContent}: ${title}`;
    button.value += ` ${order.id}`;
  }
  return row;
}

/** What changes while the row is looked at. The buttons keep their place: they may be under a finger. */
function tell(row, order) {
  row.querySelector(".why").textContent = storyOf(order);
  row.querySelector(".trio").inert = order.receipt === null;
}

/** How it was paid, where its receipt is, and whether the service has it. */
function storyOf(order) {
  const { payment, receipt, end, service, isTexted } = order;
  const receipts = end && receipt === "sent" ? `receipt on the phone ••••\u00a0${end}` : RECEIPTS[receipt];
  const refunded = refundsOf(order).reduce((sum, { total }) => sum - total, 0);
  const parts = [
    refunded > 0 && `Refunded ${formatMoney(refunded)}`,
    payment?.kind === "cash" ? "Cash" : "Card",
    receipts ?? "the customer is being asked",
    receipt === "printed" && isTexted && `texted ••••\u00a0${end}`, // Once the network was back.
    SERVICE[service] ?? "waits to be sent",
  ];
  return parts.filter(Boolean).join(" · ");
}

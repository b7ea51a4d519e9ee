// The last orders of this till: their receipts once more, and their refunds.
import { orderOf, orders } from "./journal.js";
import { formatMoney } from "./money.js";
import { ask } from "./question.js";
import { showPart } from "./views.js";

const byId = (id) => document.getElementById(id);
const time = new Intl.DateTimeFormat("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const RECEIPTS = { sent: "Receipt on the phone", printed: "Receipt printed", none: "No receipt wanted" };

/** The header's button. `giveReceipt` asks the customer of an order. */
export function showRecent(cart, printer, giveReceipt) {
  const actions = {
    again: (order) => printer.printAgain(order),
    text: giveReceipt,
    refund: (order) => cart.restore({ ...order.cart, refundOf: order.id }),
    other: async () => {
      const { answer, dialog } = await ask("refund-template", (question) => {
        question.querySelector("input").value = orders()[0]?.number ?? "";
      });
      const number = dialog.querySelector("input").value;
      // The number is all that anybody knows of another till's order.
      const known = orders().find((order) => String(order.number) === number);
      if (answer === "refund") cart.refund(known?.id ?? number);
    },
  };
  byId("recent").addEventListener("click", async () => {
    const offersText = await import("./client.js").then(({ offersEreceipts }) => offersEreceipts(), () => false);
    const { answer } = await ask("recent-template", (dialog) => {
      const all = orders();
      const isRefunded = ({ id }) => all.some(({ refundOf }) => refundOf === id);
      const rows = all.map((order) => rowOf(order, isRefunded(order) || cart.count > 0, offersText));
      dialog.querySelector("ul").append(...rows);
      dialog.querySelector("p").textContent = noteFor(all.length, cart.count);
    });
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

function rowOf(order, isNoRefund, offersText) {
  const row = byId("recent-row-template").content.firstElementChild.cloneNode(true);
  const title = `${order.refundOf ? "Refund" : "Order"} ${order.number}`;
  row.querySelector(".name").textContent = title;
  row.querySelector(".each").textContent = time.format(order.at);
  row.querySelector(".amount").textContent = formatMoney(order.total);
  row.querySelector(".why").textContent = RECEIPTS[order.receipt] ?? "The customer is being asked.";
  const isOver = order.receipt !== null;
  const offered = {
    again: isOver,
    text: isOver && offersText,
    refund: isOver && !order.refundOf && !isNoRefund,
  };
  for (const button of row.querySelectorAll("button")) {
    button.hidden = !offered[button.value];
    button.ariaLabel = `${button.textContent}: ${title}`;
    button.value += ` ${order.id}`;
  }
  return row;
}

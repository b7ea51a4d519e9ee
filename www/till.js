// The selling half of the till. It knows nothing of the connection: see flow.js.
import { clearAbandoned } from "./abandoned.js";
import { Cart } from "./cart.js";
import { clearAtNextOrder } from "./changed.js";
import { keepCart } from "./draft.js";
import { hold, keepOrder, note } from "./journal.js";
import { offerLanguages } from "./language.js";
import { OrderPanel } from "./order.js";
import { Printer } from "./printer.js";
import { showProducts } from "./products.js";
import { showRecent } from "./recent.js";
import { startViews } from "./views.js";

const announcer = document.getElementById("announcer");
const announce = (text) => {
  announcer.textContent = text;
};

// A display that cannot be had costs no sale.
const display = import("./display.js").catch(console.error);

const cart = new Cart();
const printer = new Printer();

/** Keeps a paid order, and gives its receipt: `isAgain`, to who has one, and may go back. */
function complete(order, { isAgain = false } = {}) {
  keepOrder(order);
  hold(order, giveReceipt(order, isAgain));
}

/** Every order ends with its receipt. Whatever goes wrong with the question, the customer gets it on paper. */
async function giveReceipt(order, isAgain) {
  const print = (reason) => {
    note(order.id, { receipt: "printed" });
    printer.print(order, reason);
  };
  printer.hold(order);
  try {
    const { sell } = await import("./receipt.js");
    const { receipt, sent } = await sell(order, print, isAgain);
    if (isAgain && receipt.kind === "none") {
      printer.drop(order, `Order ${order.number}: nothing was sent.`);
      return note(order.id, { receipt: order.receipt });
    }
    const outcome = printer.settle(order, receipt, sent);
    note(order.id, { receipt: outcome, end: receipt.phone?.slice(-2) });
    (await display)?.thankOnDisplay(outcome, receipt.phone?.slice(-4));
  } catch (error) {
    console.error(error);
    print("not asked");
    (await display)?.thankOnDisplay("printed");
  }
}

// A page that cannot load what selling needs says so with the next order.
void import("./recovery.js").then(({ recoverOrders }) => recoverOrders((order) => printer.printInterrupted(order)));

// The tray is for the order before; it makes room as soon as the next one begins.
cart.addEventListener("change", async () => {
  if (cart.count) {
    printer.clear();
    clearAtNextOrder();
  }
  if (cart.count === 1) void import("./client.js").then((client) => client.checkConnection()).catch(console.error);
  (await display)?.showOnDisplay({ lines: cart.items, tax: cart.tax, total: cart.total });
});
showProducts(cart, announce);
new OrderPanel(cart, announce, complete);
showRecent(cart, printer, complete);
if ("kiosk" in document.documentElement.dataset) {
  clearAbandoned(cart);
  offerLanguages();
}
keepCart(cart);
startViews();

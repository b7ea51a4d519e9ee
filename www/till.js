// The selling half of the till. It knows nothing of the connection: see flow.js.
import { Cart } from "./cart.js";
import { keepCart } from "./draft.js";
import { OrderPanel } from "./order.js";
import { Printer } from "./printer.js";
import { showProducts } from "./products.js";
import { startViews } from "./views.js";

const announcer = document.getElementById("announcer");
const announce = (text) => {
  announcer.textContent = text;
};

// A display that cannot be had costs no sale.
const display = import("./display.js").catch(console.error);

const cart = new Cart();
const printer = new Printer();

/** Every order ends with its receipt. Whatever goes wrong with the question, the customer gets it on paper. */
async function giveReceipt(order) {
  printer.hold(order);
  try {
    const { sell } = await import("./receipt.js");
    const { receipt, sent } = await sell(order, (reason) => printer.print(order, reason));
    const outcome = printer.settle(order, receipt, sent);
    (await display)?.thankOnDisplay(outcome, receipt.phone?.slice(-4));
  } catch (error) {
    console.error(error);
    printer.print(order, "not asked");
    (await display)?.thankOnDisplay("printed");
  }
}

// A page that cannot load what selling needs says so with the next order.
void import("./client.js").then(({ onInterrupted }) => onInterrupted((receipt) => printer.printInterrupted(receipt)));

// The tray is for the order before; it makes room as soon as the next one begins.
cart.addEventListener("change", async () => {
  if (cart.count) printer.clear();
  const lines = cart.lines.map(({ product, quantity, amount }) => ({
    name: product.name,
    unit: product.unit,
    quantity,
    amount,
  }));
  (await display)?.showOnDisplay({ lines, total: cart.total });
});
showProducts(cart, announce);
new OrderPanel(cart, announce, giveReceipt);
keepCart(cart);
startViews();

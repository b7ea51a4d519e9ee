import { formatMoney, taxName } from "./money.js";

const SHOP = "Demo Bakery";
const time = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

/**
 * The receipt printer beside the till: draws what it prints, or what came in its place. It holds one job for each
 * order.
 */
export class Printer {
  #tray = document.getElementById("tray");
  #held = new Set();

  /** The paper waits until it is known whether anybody wants it. */
  hold(order) {
    this.#held.add(order);
  }

  /** Takes away what lies in the tray. */
  clear() {
    this.#tray.replaceChildren();
  }

  /**
   * Prints the job or drops it; the second call for an order does nothing. `sent` is what became of the order at the
   * service, null without a connection: then the result of the question says what to do.
   */
  settle(order, result, sent = null) {
    if (!this.#held.delete(order)) return;
    const { print } = sent ?? result;
    if (print) this.#show(paperOf(order), "printed", `Receipt printed (${reasonOf(result, sent)}).`);
    else if (result.kind === "ereceipt") {
      this.#show(bubbleOf(order, result), "sent", "Print cancelled: the receipt went out as a text message.");
      void this.#deliver(sent?.message);
    } else this.#show(null, "none", "No receipt, as the customer chose.");
  }

  /** Shows the message itself once it is on the phone. */
  async #deliver(message) {
    const bubble = this.#tray.querySelector(".sms");
    const arrived = await message;
    if (!arrived || !bubble?.isConnected) return;
    const link = document.createElement("a");
    const start = arrived.text.lastIndexOf("http");
    link.href = link.textContent = arrived.text.slice(start);
    link.target = "_blank";
    link.rel = "noreferrer";
    const text = bubble.querySelector(".text");
    text.lang = arrived.locale;
    text.dir = "auto";
    text.replaceChildren(arrived.text.slice(0, start), link);
    bubble.dataset.arrived = "";
  }

  #show(drawing, outcome, caption) {
    const figure = document.createElement("figure");
    const text = document.createElement("figcaption");
    text.textContent = caption;
    figure.dataset.outcome = outcome;
    figure.append(text, ...(drawing ? [drawing] : []));
    this.#tray.replaceChildren(figure);
  }
}

/** Why there is paper. */
function reasonOf(result, sent) {
  if (result.kind !== "ereceipt") return result.reason;
  return sent.state === "accepted" ? "the service took no e-receipt" : `the order is ${sent.state}`;
}

function paperOf({ number, lines, subtotal, tax, total, at }) {
  const paper = document.createElement("div");
  paper.className = "paper";
  paper.append(
    row("shop", SHOP),
    row("", `Order ${number}`, time.format(at)),
    ...lines.map(({ product, quantity, amount }) => row("item", `${quantity} × ${product.name}`, formatMoney(amount))),
    row("sums", "Subtotal", formatMoney(subtotal)),
    row("", taxName, formatMoney(tax)),
    row("total", "Total", formatMoney(total)),
    row("shop", "Thank you!"),
  );
  return paper;
}

function row(name, ...texts) {
  const line = document.createElement("p");
  line.className = name;
  line.append(...texts.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
  return line;
}

/** What the customer's phone shows. The till itself never shows the number again, only its end. */
function bubbleOf({ number, total }, { phone }) {
  const bubble = document.createElement("div");
  bubble.className = "sms";
  bubble.append(
    row("to", `To •••• ${phone.slice(-4)}`),
    row("text", `${SHOP}: thank you! Your receipt for order ${number}, ${formatMoney(total)}, is on its way.`),
  );
  return bubble;
}

import { account } from "./connection.js";
import { directionOf, wordsIn } from "./display-words.js";
import { speakOwn } from "./language.js";
import { formatMoney, formatQuantity, taxNamed } from "./money.js";
import { choice } from "./receipt-choice.js";
import { showPart } from "./views.js";

const SHOP = "Demo Bakery";
const IS_KIOSK = "kiosk" in document.documentElement.dataset;
const KIOSK_SHOWS = 10_000; // ms: what a shopper leaves on a kiosk's screen, the next one in the queue reads.
const time = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" });

/**
 * The receipt printer beside the till: draws what it prints, or what came in its place. It holds one job for each
 * order.
 */
export class Printer {
  #tray = document.getElementById("tray");
  #paid = document.getElementById("paid");
  #held = new Set();
  #leaving; // In a kiosk, what lies there goes by itself.

  /** The paper waits until it is known whether anybody wants it. */
  hold(order) {
    this.#held.add(order);
  }

  /** Takes away what tells of the order before: what lies in the tray, and what was paid. */
  clear() {
    clearTimeout(this.#leaving);
    this.#tray.replaceChildren();
    this.#paid.textContent = "";
  }

  /** Prints the job. A second call for an order does nothing. */
  print(order, reason) {
    if (!this.#held.delete(order)) return;
    this.#show(paperOf(order), FAILED.includes(reason) ? "failed" : "printed", captionOf(reason));
  }

  /** Prints the receipt of an order that an earlier page has left, below those that it left before. */
  printInterrupted(order) {
    this.#tray.append(figureOf(paperOf(order), "printed", captionOf("interrupted")));
    this.#leaveSoon();
  }

  /** Prints the receipt of an order that has had one. */
  printAgain(order) {
    const paper = paperOf(order);
    paper.prepend(row("shop", "Copy"));
    this.#show(paper, "printed", `Order ${order.number}: receipt printed again.`);
  }

  /**
   * The question is over: what was not printed is dropped. `sent` is what became of the order at the service. Gives
   * what the customer has: "printed", "sent" or "none".
   */
  settle(order, result, sent) {
    if (!this.#held.delete(order)) return "printed";
    if (result.kind === "qr") {
      const later = sent.state === "queued" ? " It opens once the order is sent." : "";
      this.#show(null, "none", `The customer has the receipt's code. Nothing was printed.${later}`);
      return "sent";
    }
    const outcome = result.kind === "ereceipt" ? "sent" : "none";
    if (outcome === "sent") {
      this.#show(bubbleOf(order, result), outcome, "Receipt sent as a text message. Nothing was printed.");
      void this.#deliver(sent.message);
    } else this.#show(null, outcome, "No receipt, as the customer chose.");
    return outcome;
  }

  /** The cashier has gone back: the order has the receipt that it had. */
  drop(order, caption) {
    this.#held.delete(order);
    this.#paid.textContent = "";
    this.#show(null, "none", caption);
  }

  /** Shows the message itself once it is on the phone. */
  async #deliver(message) {
    const bubble = this.#tray.querySelector(".sms");
    const arrived = await message;
    if (!arrived || !bubble?.isConnected) return;
    const link = document.createElement("a");
    link.href = link.textContent = arrived.url;
    link.target = "_blank";
    link.rel = "noreferrer";
    const text = bubble.querySelector(".text");
    text.lang = arrived.locale;
    text.dir = "auto";
    text.replaceChildren(arrived.text, link);
    bubble.dataset.arrived = "";
  }

  /** The page wears the outcome, too. */
  #show(drawing, outcome, caption) {
    document.body.dataset.outcome = outcome;
    this.#tray.replaceChildren(figureOf(drawing, outcome, caption));
    this.#leaveSoon();
  }

  #leaveSoon() {
    clearTimeout(this.#leaving);
    if (!IS_KIOSK) return;
    this.#leaving = setTimeout(() => {
      this.clear();
      speakOwn();
      showPart("sale");
    }, KIOSK_SHOWS);
  }
}

function figureOf(drawing, outcome, caption) {
  const figure = document.createElement("figure");
  const text = document.createElement("figcaption");
  text.textContent = caption;
  if (IS_KIOSK) tellShopper(text, outcome);
  const place = document.createElement("div");
  place.className = "drawing";
  if (drawing) place.append(drawing);
  figure.dataset.outcome = outcome;
  figure.append(text, place);
  return figure;
}

/** Who stands at a kiosk needs no reason. */
function tellShopper(text, outcome) {
  const { locale } = choice;
  const { printed, thanks } = wordsIn(locale);
  const said = ["printed", "failed"].includes(outcome) ? printed : thanks;
  Object.assign(text, { lang: locale, dir: directionOf(locale), textContent: said });
}

/** Reasons that are nobody's wish. */
const FAILED = ["send_failed", "accepted", "refused"];

const WHY = {
  not_enabled: "E-receipts are off: nobody was asked.",
  chosen: "The customer chose paper.",
  timeout: "Nobody answered.",
  send_failed: "The text message could not be sent.",
  replaced: "The next order was charged first.",
  removed: "The keypad was closed.",
  aborted: "The question was stopped.",
  unsupported: "This browser cannot show the keypad.",
  queued: "The order is sent later, and with it the text message.",
  accepted: "The service could not send a text message.",
  refused: "The service did not take the order.",
  interrupted: "The till was left before the customer chose.",
};

/** Why there is paper, for the cashier. The code is in the panel of steps. */
function captionOf(reason) {
  const isAlone = reason === "not_enabled" && account.isConnected === false;
  const why = isAlone ? "No account is connected: nobody was asked." : WHY[reason];
  return why ? `${why} Receipt printed.` : "Receipt printed.";
}

function paperOf({ number, refundOf, refunds = refundOf, lines, subtotal, tax, total, payment, at }) {
  const paper = Object.assign(document.createElement("div"), { className: "paper", lang: "en", dir: "ltr" });
  paper.append(
    row("shop", SHOP),
    row("", `Order ${number}`, time.format(at)),
    ...(refunds ? [row("", `Refund of order ${refunds}`)] : []),
    ...lines.map(({ name, unit, quantity, amount }) =>
      row("item", `${formatQuantity(quantity, unit)} ${name}`, formatMoney(amount)),
    ),
    row("sums", "Subtotal", formatMoney(subtotal)),
    row("", taxNamed("Tax"), formatMoney(tax)),
    row("total", "Total", formatMoney(total)),
    ...(payment ? paymentRows(payment, total) : []),
    row("shop", "Thank you!"),
  );
  return paper;
}

function paymentRows({ kind, given }, total) {
  const paid = row("", kind === "cash" ? "Cash" : "Card", formatMoney(given ?? total));
  return given > total ? [paid, row("", "Change", formatMoney(given - total))] : [paid];
}

function row(name, ...texts) {
  const line = document.createElement("p");
  line.className = name;
  line.append(...texts.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
  return line;
}

/** What the customer's phone shows. The till itself never shows the number again, only its end. */
function bubbleOf({ number, total }, { phone }) {
  const bubble = Object.assign(document.createElement("div"), { className: "sms", lang: "en", dir: "ltr" });
  bubble.append(
    row("to", `To •••• ${phone.slice(-4)} · simulated, no phone gets it`),
    row("text", `${SHOP}: thank you! Your receipt for order ${number}, ${formatMoney(total)}, is on its way.`),
  );
  return bubble;
}

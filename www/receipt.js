// The receipt step (§2.3): asks with every order whether the receipt may come as a text message.
import { client, offersEreceipts } from "./client.js";
import { account } from "./connection.js";
import { askOnDisplay, display } from "./display.js";
import { chosenIn, directionOf, languages, paidIn, wordsIn } from "./display-words.js";
import { note } from "./journal.js";
import { simulateKiosk } from "./kiosk.js";
import { speak } from "./language.js";
import { choice } from "./receipt-choice.js";
import { charge, sendOrder } from "./sending.js";
import { Steps } from "./steps.js";

const steps = new Steps();
const LEAST_OUTCOME = 240; // CSS px.
const GAP = 4; // Between it and the totals: engines round the parts of a pixel.
const FAREWELL = 2000; // So long the shopper sees what became of it, unless `outcomeSeconds` says otherwise.
const IS_KIOSK = "kiosk" in document.documentElement.dataset;
let asked = 0;
const byId = (id) => document.getElementById(id);

/**
 * Sells an order: its receipt comes out as paper, which `print` is told with a reason, or as a text message. `isAgain`:
 * there is a way back. Gives the result of the question, and what became of the order at the service.
 */
export async function sell(order, print, isAgain) {
  steps.begin();
  const pos = await client();
  const options = {
    region: choice.region,
    locale: choice.locale,
    allowNone: choice.allowNone || isAgain,
    ...(isAgain && { labels: { none: wordsIn(choice.locale).back } }),
    languages: choice.languages || IS_KIOSK ? languages : [],
  };
  // Without a connection the order is kept all the same. A number that is asked for goes to a stand-in for a gateway.
  const isOurs = choice.gateway === "works" && (account.isConnected !== false || !offersEreceipts());
  if (isOurs && !(display.isOpen && offersEreceipts())) {
    const ereceipt = () => {
      note(order.id, { service: "kept" }); // It is asked once the order is on the disk.
      return offersEreceipts();
    };
    let isQueued = false;
    const printNow = ({ reason }) => {
      if (reason === "queued") isQueued = true;
      else print(reason);
    };
    const ends = { ereceipt, allowScan: choice.allowScan, print: printNow };
    const sold = await askHere(order, (more) => charge(order, { ...options, ...more, ...ends }));
    // Who has scanned the code needs no paper: the page behind it waits for the order.
    if (isQueued && sold.receipt.kind !== "qr") print("queued");
    return sold;
  }
  // A message that somebody else sends, or a keypad in another window: the parts of `charge`, one by one.
  const sent = { sending: null };
  const onSend = isOurs ? sendWith(order, sent) : gateway;
  const parts = { ...options, orderId: order.id, onSend };
  const receipt =
    (await askThere(order, options, onSend)) ?? (await askHere(order, (more) => pos.receiptFor({ ...parts, ...more })));
  const isTexted = !isOurs && receipt.kind === "ereceipt"; // By the stand-in: once is enough.
  const became = await (sent.sending ?? sendOrder(order, isTexted ? undefined : receipt));
  if (receipt.print || (became.print && !isTexted)) print(receipt.kind === "print" ? receipt.reason : became.state);
  told(receipt);
  return { receipt, sent: became };
}

/** Sends the order with its receipt while the keypad waits: so the shopper reads what really became of it. */
function sendWith(order, sent) {
  return async (receipt) => {
    sent.sending ??= sendOrder(order, receipt);
    const { state, print } = await sent.sending;
    // Without its e-receipt the order is sent all the same, so that there is nothing to try again.
    if (print && state !== "queued") throw Object.assign(new Error("No e-receipt was accepted."), { retryable: false });
    return { state }; // The shopper of a queued one reads that the message comes later.
  };
}

/** On the display in the second window; null without one. */
async function askThere(order, options, onSend) {
  if (!display.isOpen || !offersEreceipts()) return null;
  steps.call("keypad.ask({ orderId })", `Order ${order.number}, on the customer's display.`);
  return askOnDisplay(order, { ...options, orderId: order.id }, onSend);
}

async function askHere(order, ask) {
  const layout = IS_KIOSK ? "customer" : choice.layout;
  const stopKiosk = simulateKiosk(choice);
  placeOutcome();
  document.body.dataset.receipt = layout;
  delete document.body.dataset.outcome;
  byId("customer-thanks").textContent = "";
  asked += 1;
  const own = asked;
  // The shopper sees what the number is for, in each language that the keypad may have.
  const paidBy = (locale) => [locale, paidIn(locale, order)];
  const context = Object.fromEntries(languages.map(paidBy));
  let { locale } = choice;
  try {
    const result = await ask({ context, container: placeFor(layout) });
    locale = chosenIn(result.receipt ?? result) ?? locale;
    return result;
  } finally {
    stopKiosk();
    speak(locale);
    const tell = (id, text) => Object.assign(byId(id), { lang: locale, dir: directionOf(locale), textContent: text });
    tell("customer-thanks", wordsIn(locale).thanks);
    if (IS_KIOSK) tell("paid", paidIn(locale, order));
    // Where the screen is the shopper's, it stays theirs until they have read it. Another one may ask by then.
    const leave = () => { if (own === asked) delete document.body.dataset.receipt; };
    setTimeout(leave, layout === "customer" ? FAREWELL : 0);
  }
}

/** Tells `receipt.css` where the totals are, if there is room for a sentence. */
function placeOutcome() {
  const { style } = document.documentElement;
  const { left, top, bottom, width, height } = document.querySelector(".totals").getBoundingClientRect();
  const values = {
    inset: `${top}px auto ${innerHeight - bottom}px ${left}px`,
    size: `${width}px`,
    up: `${-height - GAP}px`,
  };
  for (const [name, value] of Object.entries(values))
    style.setProperty(`--outcome-${name}`, width > LEAST_OUTCOME ? value : "");
}

const placeFor = (layout) =>
  ({ dialog: null, inline: byId("receipt-place"), customer: byId("customer-keypad") })[layout];

/** A stand-in for your own gateway for text messages. The print is cancelled once it resolves. */
async function gateway(_, { signal }) {
  await wait(choice.gateway === "hangs" ? 60_000 : 600, signal);
  if (choice.gateway === "refuses") throw new Error("The gateway refused the message.");
}

function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

function told(result) {
  steps.over();
  if (result.kind === "ereceipt")
    steps.done(
      "A number for the e-receipt.",
      `•••• ${result.phone.slice(-4)} (${result.region}), consent ${result.consent.id}.`,
    );
  else if (result.kind === "qr") steps.done("A code for the receipt.", "The service has the hash of its link.");
  else if (result.kind === "none") steps.note("No receipt.", `Reason: ${result.reason}.`);
  else steps.note("On paper.", `Reason: ${result.reason}.`);
}

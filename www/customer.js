// The customer's display: shows the order as it grows, asks for the receipt, says thank you. It holds no secret and
// calls no service; the till tells it what to do, and gets the answer.
import { channelOf, withLock } from "./display-channel.js";
import { chosenIn, directionOf, masked, paidIn, wordsIn } from "./display-words.js";
import { formatMoney, formatQuantity } from "./money.js";
import { init } from "./sdk.js"; // yours: from "pos-connect"

const THANKS_FOR = 6000;
const till = location.hash.slice(1);
const channel = channelOf(till);
const keypad = document.querySelector("ereceipt-keypad");
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const stops = new Map(); // of the asks that run
const sends = new Map(); // of the messages that the till sends for us
let cart = null;
let order = null; // That the shopper is asked about.
let words = wordsIn("en");
let own = "en"; // The till's language.
let chosen; // That of the shopper who is asked, and thanked.
let thanking;

function show({ cart: shown, locale, keypad: look, theme }) {
  const isNew = JSON.stringify(shown) !== JSON.stringify(cart);
  cart = shown;
  own = locale;
  if (isNew && cart?.lines.length) clearTimeout(thanking);
  const isFree = stops.size === 0 && (isNew || document.body.dataset.state !== "thanks");
  speak(isFree ? undefined : chosen);
  root.dataset.keypad = look;
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  byId("lines").lastElementChild?.scrollIntoView({ block: "nearest" });
  if (isFree) rest();
  root.dataset.ready = ""; // For whoever drives this page: the till has told it what to show.
}

/** Says everything in a language; without one in the till's. */
function speak(locale) {
  chosen = locale;
  const language = chosen ?? own;
  words = wordsIn(language);
  root.lang = language;
  root.dir = directionOf(language);
  byId("welcome").textContent = words.welcome;
  byId("order-title").textContent = words.order;
  showSums("", cart ?? { total: 0 });
  byId("lines").replaceChildren(...(cart?.lines ?? []).map(rowOf));
  if (!order) return;
  byId("paid").textContent = paidIn(language, order);
  byId("asked-count").textContent = words.items.replace("#", order.lines.length);
  byId("asked-lines").replaceChildren(...order.lines.map(rowOf));
  showSums("asked-", order);
}

/** The tax, which the lines do not have, and the total. */
function showSums(place, { tax = 0, total }) {
  byId(`${place}tax-name`).textContent = words.tax;
  byId(`${place}tax`).textContent = formatMoney(tax);
  byId(`${place}tax`).parentElement.hidden = tax === 0;
  byId(`${place}total-name`).textContent = words.total;
  byId(`${place}total`).textContent = formatMoney(total);
}

function rowOf({ name, unit, quantity, amount }) {
  const row = document.createElement("li");
  const texts = [formatQuantity(quantity, unit), name, formatMoney(amount)];
  row.append(...texts.map((text) => Object.assign(document.createElement("bdi"), { textContent: text })));
  return row;
}

const enter = (state) => {
  document.body.dataset.state = state;
};

/** Nobody is asked anything. Who was, may be thanked yet. */
function rest() {
  enter(cart?.lines.length ? "cart" : "idle");
}

async function ask({ ask, order: paid, options }) {
  order = { lines: [], ...paid };
  speak();
  clearTimeout(thanking);
  const stop = new AbortController();
  stops.set(ask, stop);
  enter("ask");
  const onSend = (receipt, { signal }) => sendBy(ask, receipt, signal);
  const { cause: _, ...result } = await keypad.ask({ ...options, onSend, signal: stop.signal });
  stops.delete(ask);
  if (stops.size === 0) {
    speak(chosenIn(result));
    rest();
  }
  // Nobody has answered where the window goes: the till asks itself.
  if (result.reason !== "page_hidden") channel.postMessage({ type: "answer", ask, result });
}

/** Resolves once the till has sent it. */
function sendBy(ask, receipt, signal) {
  const send = crypto.randomUUID();
  signal.addEventListener("abort", () => channel.postMessage({ type: "unsend", ask }), { once: true });
  return new Promise((resolve, reject) => {
    const settle = ({ state, error, retryable }) =>
      error === null ? resolve({ state }) : reject(Object.assign(new Error(error), { retryable }));
    sends.set(send, settle);
    channel.postMessage({ type: "send", ask, send, receipt });
  });
}

function sent(answer) {
  sends.get(answer.send)?.(answer);
  sends.delete(answer.send);
}

function thank({ outcome, end }) {
  if (stops.size > 0) return; // The next one is asked already.
  document.body.dataset.outcome = outcome;
  byId("thanks-title").textContent = words.thanks;
  byId("thanks-text").textContent = words[outcome].replace("#", masked(end));
  enter("thanks");
  clearTimeout(thanking);
  thanking = setTimeout(() => {
    speak();
    rest();
  }, THANKS_FOR);
}

/** The till's page goes, or is a new one: what it asked is over. */
function stopAll() {
  for (const stop of stops.values()) stop.abort(new Error("The till's page is gone."));
}

const here = () => channel.postMessage({ type: "here" });
const handlers = {
  show,
  ask,
  sent,
  stop: (message) => stops.get(message.ask)?.abort(new Error("The till asks itself.")),
  thanks: thank,
  bye: stopAll,
  who() {
    stopAll();
    here();
  },
};

keypad.addEventListener("localechange", ({ detail }) => speak(detail));
await init();
// One display for a till: another window of it waits until this one is closed.
void withLock(till, () => {
  channel.addEventListener("message", ({ data }) => handlers[data.type]?.(data));
  here();
  return new Promise(() => {});
});

// The till's end of the customer's display in a window of its own (customer.html).
import { channelOf, withLock } from "./display-channel.js";
import { choice } from "./receipt-choice.js";

const KEY = "till-id";
const id = ownId();
const channel = channelOf(id);
const asks = new Map(); // id → what becomes of it
const byId = (name) => document.getElementById(name);
let last = 0;
let cart = null;

/** Whether a window is there, ready to ask. */
export const display = { isOpen: false };

/** A reload finds its display again; another till in this browser has another one. */
function ownId() {
  let kept = null;
  try {
    kept = sessionStorage.getItem(KEY);
    kept ??= crypto.randomUUID();
    sessionStorage.setItem(KEY, kept);
  } catch {
    /* Storage may be forbidden: then it lasts as long as the page. */
  }
  return kept ?? crypto.randomUUID();
}

function openDisplay() {
  window.open(`customer.html#${id}`, `till-display-${id}`, "popup,width=1024,height=700");
}

/** Shows the order as it grows, and how the display looks. */
export function showOnDisplay(order = cart) {
  cart = order;
  const theme = document.documentElement.dataset.theme ?? "";
  channel.postMessage({ type: "show", cart, locale: choice.locale, keypad: choice.keypad, theme });
}

/** Says thank you. `outcome`: "sent", "printed" or "none". */
export function thankOnDisplay(outcome, end = "") {
  channel.postMessage({ type: "thanks", outcome, end });
}

/**
 * Asks there; gives the result, or null if the window is gone or the cashier wants to ask here: then nobody has
 * answered.
 */
export function askOnDisplay({ number, tax, total, lines }, options, onSend) {
  if (!display.isOpen) return Promise.resolve(null);
  const ask = ++last;
  return new Promise((resolve) => {
    asks.set(ask, { resolve, onSend, stop: null });
    byId("asking").hidden = false;
    channel.postMessage({ type: "ask", ask, order: { number, tax, total, lines }, options });
  });
}

function settle(ask, result) {
  const open = asks.get(ask);
  asks.delete(ask);
  byId("asking").hidden = asks.size === 0;
  open?.stop?.abort();
  open?.resolve(result);
}

function settleAll() {
  for (const ask of [...asks.keys()]) {
    channel.postMessage({ type: "stop", ask });
    settle(ask, null);
  }
}

/** The display is there: until its lock is free. */
function found() {
  showOnDisplay();
  if (display.isOpen) return;
  display.isOpen = true;
  byId("display-state").textContent = "The customer display is open.";
  void withLock(id, () => {
    display.isOpen = false;
    byId("display-state").textContent = "The customer display is closed. The keypad shows here.";
    settleAll();
  });
}

/** The number goes from one window to the other, nowhere else. */
async function send({ ask, send, receipt }) {
  const open = asks.get(ask);
  if (!open) return;
  open.stop = new AbortController();
  const answer = { type: "sent", send, error: null };
  try {
    const { state } = (await open.onSend(receipt, { signal: open.stop.signal })) ?? {};
    answer.state = state;
  } catch (thrown) {
    Object.assign(answer, { error: String(thrown?.message ?? thrown), retryable: thrown?.retryable });
  }
  channel.postMessage(answer);
}

const handlers = {
  here: found,
  send,
  unsend: ({ ask }) => asks.get(ask)?.stop?.abort(),
  answer: ({ ask, result }) => settle(ask, result),
};
channel.addEventListener("message", ({ data }) => handlers[data.type]?.(data));
addEventListener("pagehide", () => channel.postMessage({ type: "bye" }));
byId("open-display").addEventListener("click", openDisplay);
byId("ask-here").addEventListener("click", () => {
  byId("charge").focus(); // This button goes, and the keypad gives the focus back to where it was.
  settleAll();
});
const looks = { attributeFilter: ["data-theme", "data-keypad"] };
new MutationObserver(() => showOnDisplay()).observe(document.documentElement, looks);
channel.postMessage({ type: "who" });

// Every way in which an ask can end: what the shopper, the host and the page do, and the outcome that must come of it.
import { advance, skip, turn, until } from "./clock.js";
import { cancelDialog, host, leave, text } from "./hands.js";
import { queuedWithOrder, refusedWithOrder, sentWithOrder } from "./orders.js";

/** So long nobody touches anything. */
const IDLE_MS = 61_000;
const SEND_MS = 10_500;
/** What is pressed sooner was meant for what stood there before. */
const GUARD_MS = 450;
/** So long another attempt is offered. */
const RETRY_MS = 5_100;

/**
 * `outcome`: kind and reason. `end`: what brings it about. `options`: more of the ask's options. `enter`: what is done
 * before the end. `isShown`: whether there is a keypad before the end. `isElement`: asked in an element of the page's
 * own.
 */
function ask(name, outcome, end, more = {}) {
  return { name, outcome, end, options: () => ({}), enter: typed, isShown: true, ...more };
}

const typed = async (at) => {
  await at.type(at.number.typed);
  await at.pause();
};
const nothing = (at) => at.pause();
const prefilled = { options: ({ prefill }) => ({ prefill }), enter: nothing };
const announcing = (announce) => ({ options: () => ({ announce }) });
/** `onSend` in some form. */
const sending = (onSend) => ({ options: () => ({ onSend }) });
const never = () => new Promise(() => {});

async function corrected(at) {
  await at.type(`${at.number.typed}00`);
  await at.pause();
  await at.tap("send");
  await at.press("Backspace");
  await at.tap("delete");
  await at.pause();
}

async function clearedAndTypedAgain(at) {
  await typed(at);
  await at.tap("clear");
  await at.pause();
  await typed(at);
}

/** Six characters without a breath are a code, and are taken back. */
async function scanned(at) {
  await typed(at);
  for (const digit of at.written(at.number.typed)) {
    skip(5);
    await at.press(digit);
  }
  await at.pause();
}

async function suggested(at) {
  await at.type(at.number.withCode);
  await at.pause();
  await at.tap("suggestion");
  await at.pause();
}

async function warned(at) {
  await typed(at);
  await at.step("warned", () => advance(IDLE_MS - 15_000));
}

const sent = async (at) => {
  await at.tap("send");
  await at.pause();
};

/** What ends an ask from outside while the host is being asked. */
const sentAnd = (end) => async (at) => {
  await sent(at);
  await at.step("ended", () => end(at));
};

const aborted = (at) => at.controller.abort(new Error("no more"));
const taken = (at) => at.till.receiptFor({ ...at.plain, ereceipt: false });
const removed = () => host().remove();

async function hidden(at) {
  document.body.style.display = "none";
  await at.step("hidden", () => advance(500));
  document.body.style.display = "";
}

/** With a browser that cannot show a dialog. */
const withoutDialogs = (at) => {
  const { showModal } = HTMLDialogElement.prototype;
  HTMLDialogElement.prototype.showModal = () => {
    throw new TypeError("no dialogs here");
  };
  at.afterwards(() => (HTMLDialogElement.prototype.showModal = showModal));
  return { prefill: at.prefill };
};

/** With a service that lets tills make links, and a host that takes their hashes. */
const scanning = (at) => {
  const { fetch } = globalThis;
  at.afterwards(() => (globalThis.fetch = fetch));
  const keys = { success: true, keys: [], receiptUrl: "https://auth.example/q/" };
  globalThis.fetch = async (url, init) => (url.endsWith("/v1/keys") ? Response.json(keys) : fetch(url, init));
  return { onScan: async () => {} };
};

async function codeShown(at) {
  await until(() => text("scan") !== "", "a code is offered");
  await advance(GUARD_MS);
  await at.tap("scan");
  await advance(GUARD_MS);
  await at.tap("done");
}

const abortedAlready = ({ prefill }) => ({ prefill, signal: AbortSignal.abort(new Error("never")) });
const notEnabled = ({ prefill }) => ({ prefill, ereceipt: false });
const inElement = { isElement: true };
const shownNever = { isShown: false, enter: () => {}, options: ({ prefill }) => ({ prefill }) };

export const CASES = [
  ask("sent", "ereceipt", (at) => at.tap("send")),
  ask("sent, then its order", "ereceipt", sentWithOrder),
  ask("sent, then its order, whose e-receipt is refused", "ereceipt", refusedWithOrder),
  ask("sent, then its order, which waits for the network", "ereceipt", queuedWithOrder),
  ask("sent with Enter", "ereceipt", (at) => at.press("Enter")),
  ask(
    "accepted by onSend",
    "ereceipt",
    sent,
    sending(async () => {}),
  ),
  ask("a prefilled number sent", "ereceipt", (at) => at.tap("send"), prefilled),
  ask("a suggestion accepted and sent", "ereceipt", (at) => at.tap("send"), { region: "DE", enter: suggested }),
  ask("a dead end, corrected, sent", "ereceipt", (at) => at.tap("send"), { enter: corrected }),
  ask("cleared, typed again, sent", "ereceipt", (at) => at.tap("send"), { enter: clearedAndTypedAgain }),
  ask("a scanner in between", "ereceipt", (at) => at.tap("send"), { enter: scanned }),
  ask("print pressed", "print chosen", (at) => at.tap("print")),
  ask("print pressed, digits counted only", "print chosen", (at) => at.tap("print"), announcing("count")),
  ask("print pressed, nothing said", "print chosen", (at) => at.tap("print"), announcing("off")),
  ask("print pressed on a prefilled number", "print chosen", (at) => at.tap("print"), prefilled),
  ask("Escape", "print chosen", (at) => at.press("Escape")),
  ask("the dialog cancelled", "print chosen", (at) => at.step("cancelled", cancelDialog)),
  ask("nobody there", "print timeout", (at) => at.step("late", () => advance(IDLE_MS)), { enter: warned }),
  ask(
    "onSend rejects",
    "print send_failed",
    sentAnd(() => advance(RETRY_MS)),
    sending(() => Promise.reject(new Error("no"))),
  ),
  ask(
    "onSend throws",
    "print send_failed",
    sentAnd(() => advance(RETRY_MS)),
    sending(() => {
      throw new Error("no");
    }),
  ),
  ask(
    "onSend hangs",
    "print send_failed",
    sentAnd(() => advance(SEND_MS)),
    sending(never),
  ),
  ask("the signal aborted", "print aborted", (at) => at.step("aborted", () => aborted(at))),
  ask("the signal aborted while sending", "print aborted", sentAnd(aborted), sending(never)),
  ask("destroyed", "print aborted", (at) => at.step("destroyed", () => at.till.destroy())),
  ask("aborted before it was shown", "print aborted", () => {}, { ...shownNever, options: abortedAlready }),
  ask("replaced", "print replaced", (at) => at.step("replaced", () => taken(at))),
  ask("replaced while sending", "print replaced", sentAnd(taken), sending(never)),
  ask("replaced in its element", "print replaced", (at) => at.step("replaced", () => at.askAgain()), inElement),
  ask("taken out of the page", "print removed", (at) => at.step("removed", removed)),
  ask("its element taken out of the page", "print removed", (at) => at.step("removed", removed), inElement),
  ask("hidden by the page", "print removed", hidden),
  ask("the page left", "print page_hidden", (at) => at.step("left", leave)),
  ask("the page left while sending", "print page_hidden", sentAnd(leave), sending(never)),
  ask("not enabled", "print not_enabled", () => {}, { ...shownNever, options: notEnabled }),
  ask("not known whether enabled", "print not_enabled", () => {}, { ...shownNever, isUnknown: true }),
  ask("no dialogs", "print unsupported", () => {}, { ...shownNever, options: withoutDialogs }),
  ask("a code in the place of a number", "qr", codeShown, { options: scanning }),
  ask("no receipt", "none chosen", (at) => at.tap("none"), { options: () => ({ allowNone: true }) }),
  ask("nobody there, no receipt", "none timeout", (at) => at.step("late", () => advance(IDLE_MS)), {
    enter: warned,
    options: () => ({ noAnswer: "none" }),
  }),
];

/** What is still on its way, e.g. an answer that comes too late. */
export async function calm() {
  await advance(1000);
  for (let turns = 0; turns < 5; turns += 1) await turn();
}

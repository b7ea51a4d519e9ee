// The till's one `PosConnect` for selling: it lives as long as the page. The flow of connecting has its own.
import { accessToken } from "./back-end.js";
import { account } from "./connection.js";
import { choice } from "./receipt-choice.js";
import { PosConnect } from "./sdk.js";
import { loadSettings } from "./settings.js";

const listeners = new EventTarget();
let opening;

/** Whether this store offers e-receipts, as far as the till knows. */
export const offersEreceipts = () =>
  choice.ereceipt === "on" || (choice.ereceipt === "account" && account.offersEreceipts);

/** Called with each change of an order in the outbox. */
export const onOutbox = (listener) => listeners.addEventListener("change", ({ detail }) => listener(detail));

/** Called with the receipt of each sale that an earlier page has left in its middle. */
export const onInterrupted = (listener) => listeners.addEventListener("interrupted", ({ detail }) => listener(detail));

/** Called with the connection when another page of the till has connected, and with null when it is over. */
export const onConnection = (listener) => listeners.addEventListener("connection", ({ detail }) => listener(detail));

const tell = (type) => (detail) => void listeners.dispatchEvent(new CustomEvent(type, { detail }));

/** An error here prints, and the next order tries again. */
export function client() {
  opening ??= loadSettings()
    .then(({ mode, options }) =>
      PosConnect.create({
        ...options,
        ...(mode === "direct" && { accessToken }),
        ereceipt: offersEreceipts,
        onOutbox: tell("change"),
        onInterrupted: tell("interrupted"),
        onConnected: tell("connection"),
        onConnectionEnded: () => tell("connection")(null),
      }),
    )
    .catch((error) => {
      opening = undefined;
      throw error;
    });
  return opening;
}

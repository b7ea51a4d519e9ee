// The till's one `PosConnect` for selling: it lives as long as the page. The flow of connecting has its own.
import { accessToken, backEnd, connectionNow } from "./back-end.js";
import { account } from "./connection.js";
import { choice } from "./receipt-choice.js";
import { PosConnect } from "./sdk.js";
import { loadSettings } from "./settings.js";
import { upkeep } from "./upkeep.js";

const listeners = new EventTarget();
let opening;
let look; // Asks anew; the package asks a relay by itself, too.

/** Whether this store offers e-receipts, as far as the till knows. */
export const offersEreceipts = () =>
  choice.ereceipt === "on" || (choice.ereceipt === "account" && account.offersEreceipts);

/** Calls `listener` with each change of an order in the outbox. */
export const onOutbox = (listener) => listeners.addEventListener("change", ({ detail }) => listener(detail));

/** Calls `listener` with the receipt of each sale that an earlier page has left in its middle. */
export const onInterrupted = (listener) => listeners.addEventListener("interrupted", ({ detail }) => listener(detail));

/** Calls `listener` with the connection when it has changed, in whatever place, and with null when it is over. */
export const onConnection = (listener) => listeners.addEventListener("connection", ({ detail }) => listener(detail));

const tell = (type) => (detail) => void listeners.dispatchEvent(new CustomEvent(type, { detail }));

/** An error here prints, and the next order tries again. */
export function client() {
  opening ??= open().catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

/**
 * Asks whether the connection stands, unless this was just asked: before the shopper of an order is. `isUrgent`: asks
 * in any case, because a call was refused.
 */
export async function checkConnection(isUrgent = false) {
  try {
    await client();
    await look(isUrgent);
  } catch (error) {
    console.error(error);
  }
}

async function open() {
  const { mode, options } = await loadSettings();
  const isDirect = mode === "direct";
  const pos = await PosConnect.create({
    ...options,
    ...(isDirect && { accessToken }),
    ereceipt: offersEreceipts,
    onOutbox: (change) => {
      tell("change")(change);
      // The service takes the access token no more.
      if (change.error?.code === "unauthorized") void checkConnection(true);
    },
    onInterrupted: tell("interrupted"),
  });
  const changed = tellChanges();
  pos.subscribe(() => changed(pos.state));
  look = isDirect ? upkeep(() => askService(options.baseUrl)) : async () => tell("connection")(await pos.connection());
  return pos;
}

/** Tells each connection that the package has; orders change its state, too. */
function tellChanges() {
  let last;
  return ({ status, connection }) => {
    const text = JSON.stringify(connection);
    if (text === last || !["connected", "disconnected"].includes(status)) return;
    last = text;
    tell("connection")(connection);
  };
}

/** Without a relay the package cannot ask. Gives how long the service wants to be left alone. */
async function askService(baseUrl) {
  if (!account.isConnected) return 0;
  const { handOvers } = backEnd;
  try {
    const now = await connectionNow(baseUrl);
    // An answer from before a hand-over would end what that has begun.
    if (handOvers === backEnd.handOvers) tell("connection")(now);
    return 0;
  } catch ({ retryAfter }) {
    return retryAfter; // Until somebody answers, what is known counts.
  }
}

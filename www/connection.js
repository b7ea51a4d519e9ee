const byId = (id) => document.getElementById(id);
const time = new Intl.DateTimeFormat("en-US", { timeStyle: "short" });
const dateTime = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short" });
const DAY = 24 * 60 * 60 * 1000;

/** What selling asks of the connection. `isConnected`: null until it is known. */
export const account = { isConnected: null, offersEreceipts: false };

/**
 * Whether this till is connected, and to whom: the line in the header, the button beside it, the card with the token
 * set.
 */
export class Connection {
  #known = null; // A token set, or the record of one. The page prints what it needs to, never a token.
  #where = "";

  get held() {
    return this.#known !== null;
  }

  /** Account and store, in one name. */
  get place() {
    return placeOf(this.#known);
  }

  /** What `other`, a connection or null, says that the till does not show, in words; null if there is nothing. */
  changeTo(other) {
    const named = (one) => one && JSON.stringify([one.account?.name, one.store?.name]);
    if (named(other) !== named(this.#known))
      return other ? `Now connected to ${placeOf(other)}.` : "The connection has ended.";
    if (other?.ereceipt !== this.#known?.ereceipt)
      return `The merchant switched e-receipts ${other.ereceipt ? "on" : "off"}.`;
    return null;
  }

  /** While a flow runs the button stops it; `announcement` is said in place of the state. */
  busy(announcement) {
    if (announcement) this.#show("busy", announcement, "Stop");
    else byId("connect").textContent = "Stop";
  }

  /** `where` says who has the tokens. */
  connected({ account, store, expiration, ereceipt, refreshToken, held }, where) {
    this.#known = { account, store, expiration, ereceipt, hasRefresh: held !== false || Boolean(refreshToken) };
    this.#where = where;
    this.#showCurrent();
  }

  /** The flow is over: back to the button that was there, or on to the new one. */
  settled() {
    this.#showCurrent();
  }

  forget() {
    this.#known = null;
    this.#showCurrent();
  }

  #showCurrent() {
    const known = this.#known;
    account.isConnected = known !== null;
    account.offersEreceipts = known?.ereceipt === true;
    byId("token-set").hidden = !known;
    if (!known) {
      this.#show("off", "Not connected", "Connect account");
      return;
    }
    const name = nameOf(known);
    this.#show("on", `Connected to ${this.place}`, "Disconnect");
    byId("token-title").textContent = `Token set, ${this.#where}`;
    byId("token-account").textContent = name;
    byId("token-store").textContent = known.store?.name ?? "not said";
    byId("token-access").textContent = `${this.#where}, ${expiryOf(known)}`;
    byId("token-refresh").textContent = known.hasRefresh ? this.#where : "none sent";
    byId("token-ereceipt").textContent = known.ereceipt ? "on" : "off";
  }

  #show(state, text, action) {
    byId("connection").dataset.state = state;
    byId("connection").textContent = text;
    byId("connect").textContent = action;
    byId("connect").classList.toggle("primary", state === "off");
  }
}

const nameOf = ({ account }) => account?.name ?? "an account";

/** Account and store; many a store's name begins with the account's. */
function placeOf(connection) {
  const [account, store] = [nameOf(connection), connection.store?.name];
  if (!store || store.startsWith(account)) return store ?? account;
  return `${account}, ${store}`;
}

/** `expiration` is a date as a rule, text if the service sent something unreadable, null if it sent nothing. */
export function expiryOf({ expiration }) {
  if (!expiration) return "no expiry given";
  if (!(expiration instanceof Date)) return `expires ${expiration}`;
  const soon = expiration - Date.now() < DAY;
  return `expires ${(soon ? time : dateTime).format(expiration)}`;
}

const byId = (id) => document.getElementById(id);
const time = new Intl.DateTimeFormat("en-US", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dateTime = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const DAY = 24 * 60 * 60 * 1000;

/** What the receipt step asks of the connection. */
export const account = { offersEreceipts: false };

/** Whether this till is connected, and to whom: the line in the header, the button beside it, the card with the token set. */
export class Connection {
  #tokens = null; // In memory only, as long as the page lives. The page prints what it needs to, never a token.

  get held() {
    return this.#tokens !== null;
  }

  /** While a flow runs the button stops it; `announcement` is said in place of the state. */
  busy(announcement) {
    if (announcement) this.#show("busy", announcement, "Stop");
    else byId("connect").textContent = "Stop";
  }

  connected(tokens) {
    this.#tokens = tokens;
    this.#showCurrent();
  }

  /** The flow is over: back to the button that was there, or on to the new one. */
  settled() {
    this.#showCurrent();
  }

  forget() {
    this.#tokens = null;
    this.#showCurrent();
  }

  #showCurrent() {
    const tokens = this.#tokens;
    account.offersEreceipts = tokens?.ereceipt === true;
    byId("token-set").hidden = !tokens;
    if (!tokens) {
      this.#show("off", "Not connected", "Connect account");
      return;
    }
    const name = tokens.account?.name ?? "an account";
    this.#show("on", `Connected to ${name}`, "Disconnect");
    byId("token-account").textContent = name;
    byId("token-access").textContent = `${whereIs(tokens)}, ${expiryOf(tokens)}`;
    byId("token-refresh").textContent = tokens.held || tokens.refreshToken ? whereIs(tokens) : "none sent";
    byId("token-ereceipt").textContent = tokens.ereceipt ? "on" : "off";
  }

  #show(state, text, action) {
    byId("connection").dataset.state = state;
    byId("connection").textContent = text;
    byId("connect").textContent = action;
    byId("connect").classList.toggle("primary", state === "off");
  }
}

const whereIs = (tokens) => (tokens.held ? "held by the relay" : "held");

/** `expiration` is a date as a rule, text if the service sent something unreadable, null if it sent nothing. */
export function expiryOf({ expiration }) {
  if (!expiration) return "no expiry given";
  if (!(expiration instanceof Date)) return `expires ${expiration}`;
  const soon = expiration - Date.now() < DAY;
  return `expires ${(soon ? time : dateTime).format(expiration)}`;
}

// A till before the service in the page.
import { Service } from "./service.js";

/** Another origin on this machine: nothing here asks a name server. */
export const CONNECT_ORIGIN = location.origin.replace("127.0.0.1", "localhost");
export const CONNECT_URL = `${CONNECT_ORIGIN}/connect.html`;

let tills = 0;

/** The package, loaded now. */
export const load = () => import("/node_modules/pos-connect/index.js");

/** A service in the page, and what `create` needs to talk to it. Each till is a store of its own. */
export function till(extra = {}, orders = {}) {
  const service = new Service(extra, orders);
  tills += 1;
  const storeId = `${location.search}-${tills}-${crypto.randomUUID()}`;
  const options = { baseUrl: service.origin, connectUrl: CONNECT_URL, clientId: "till", clientSecret: "hunter2" };
  return { service, options: { ...options, trustedPage: true, storeId } };
}

export const keypad = () => document.querySelector("ereceipt-keypad");

/** One element of the keypad, by its part. */
export const part = (name) => keypad()?.shadowRoot.querySelector(`[part~="${name}"]`);

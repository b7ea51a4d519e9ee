// What a case needs: a till before the service in the page, fingers, and claims.
import { Service, eventually, frames, say, sleep } from "./service.js";

export { eventually, frames, say, sleep };

export const CONNECT_URL = "https://connect.example/connect";
export const NUMBER = "0502345678";

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

const forgiven = new Set();

/** Uncaught errors with this message are expected. */
export const forgive = (message) => forgiven.add(message);

/** Keeps what a page would see as an uncaught error. */
export function overhear() {
  const uncaught = [];
  addEventListener("error", (event) => {
    const message = String(event.message);
    if (![...forgiven].some((expected) => message.endsWith(`: ${expected}`))) uncaught.push(message);
  });
  addEventListener("unhandledrejection", (event) => uncaught.push(`rejected: ${event.reason}`));
  return { uncaught };
}

/** The merchant consents as soon as the frame is there, and the integration that it shows: so many were created. */
export async function consent(service, creates = 1) {
  const created = () => service.requests.filter(({ operation }) => operation === "create").length;
  await eventually(() => frames().length > 0 && created() >= creates);
  service.decide("finished");
}

/** How a promise settles; "pending" if it does not within `ms`. */
export function settled(promise, ms = 20_000) {
  const value = promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
  return Promise.race([value, sleep(ms).then(() => "pending")]);
}

/** The error of a promise, which must fail with that code. */
export async function fails(promise, code) {
  const outcome = await settled(promise);
  equal(Object.hasOwn(outcome, "error"), true, `${code}: it resolved or hung`);
  const { error } = outcome;
  equal(error?.code, code, String(error));
  return error;
}

/** The value of a promise, which must resolve. */
export async function resolves(promise) {
  const outcome = await settled(promise);
  if (outcome === "pending") throw new Error("it never settled");
  // Own, because a page may have put an "error" on the prototype.
  if (Object.hasOwn(outcome, "error")) throw outcome.error;
  return outcome.value;
}

export function equal(actual, expected, what = "") {
  if (Object.is(actual, expected)) return;
  throw new Error(`${what}: ${String(actual)}, not ${String(expected)}`);
}

/** An own member, whatever the prototypes say. */
export const own = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.value;

export const keypad = () => document.querySelector("ereceipt-keypad");

/** One element of the keypad, by its part. */
export const part = (name) => keypad()?.shadowRoot.querySelector(`[part~="${name}"]`);

/** A key of the keyboard, down and up. */
export function press(key, target = document.activeElement ?? document.body) {
  for (const type of ["keydown", "keyup"]) {
    target.dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, cancelable: true, composed: true }));
  }
}

/** Waits until the keypad listens, then types the digits. */
export async function type(digits) {
  await eventually(() => keypad()?.isConnected && part("display"));
  for (const digit of digits) {
    press(digit, part("display"));
    await sleep(60); // A scanner is faster than that.
  }
}

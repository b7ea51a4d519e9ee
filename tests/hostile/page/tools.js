// What a case needs, by the clock that stands still: waits, fingers, and claims.
import { pause, turn, until } from "./clock.js";
import { stroke } from "./hands.js";
import { keypad, part } from "./till.js";

export * from "./till.js";

export const frames = () => [...document.querySelectorAll("iframe.pos-connect-frame")];
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const NUMBER = "0502345678";

/** Keeps what a page would see as an uncaught error. */
export function overhear() {
  const uncaught = [];
  addEventListener("error", (event) => uncaught.push(String(event.message)));
  addEventListener("unhandledrejection", (event) => uncaught.push(`rejected: ${event.reason}`));
  return { uncaught };
}

/** Resolves once `test` gives true. */
export const eventually = (test) => until(test, String(test));

/** The merchant consents as soon as the frame is there, and the integration that it shows: so many were created. */
export async function consent(service, creates = 1) {
  const created = () => service.requests.filter(({ operation }) => operation === "create").length;
  await eventually(() => frames().length > 0 && created() >= creates);
  service.decide("finished");
}

const HANGS_MS = 120_000;

const outcomeOf = (promise) =>
  promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );

/** How a promise settles; "pending" if it never does. */
export const settled = (promise) => Promise.race([outcomeOf(promise), pause(HANGS_MS).then(() => "pending")]);

/** Fails if a promise is settled after `ms` of the page's clock. */
export async function stillPending(promise, ms = 0) {
  await sleep(ms);
  equal(await Promise.race([outcomeOf(promise), turn().then(() => "pending")]), "pending");
}

/** The error of a promise, which must fail with that code. */
export async function fails(promise, code) {
  const outcome = await settled(promise);
  equal("error" in outcome, true, `${code}: it resolved or hung`);
  const { error } = outcome;
  equal(error?.code, code, String(error));
  return error;
}

/** The value of a promise, which must resolve. */
export async function resolves(promise) {
  const outcome = await settled(promise);
  if (outcome === "pending") throw new Error("it never settled");
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

export function equal(actual, expected, what = "") {
  if (Object.is(actual, expected)) return;
  throw new Error(`${what}: ${String(actual)}, not ${String(expected)}`);
}

/** A key of the keyboard, down and up. */
export const press = (key, target = document.activeElement ?? document.body) => stroke(target, key);

/** Waits until the keypad listens, then types the digits. */
export async function type(digits) {
  await eventually(() => keypad()?.isConnected && part("display"));
  for (const digit of digits) {
    press(digit, part("display"));
    await sleep(60); // A scanner is faster than that.
  }
}

// What the tests do to the page, and Rust has no short word for. Each patch gives an object whose `restore` takes it
// back.

import { timersSet } from "../page/clock.js";
import { replace } from "./storage.js";

export * from "./service.js";
export * from "./storage.js";

export const frames = () => [...document.querySelectorAll("iframe.pos-connect-frame")];

/**
 * A message as the connect page would send it. That page is of another origin, which an isolated page such as a test's
 * does not show; so the event is made here, with what a browser would put there.
 */
export function say(source, origin, type) {
  window.dispatchEvent(new MessageEvent("message", { source, origin, data: { posConnect: 1, type } }));
}

const keypad = () =>
  [...document.querySelectorAll("*")]
    .map(({ shadowRoot }) => shadowRoot?.querySelector("[part=keypad]"))
    .find((element) => element);

/** Whether a shopper is asked. */
export const isAsked = () => keypad() !== undefined;

/** The shopper types a number and presses a button, by a keyboard or an assistive technology. */
export function answerKeypad(digits, button) {
  const keys = [...keypad().querySelectorAll("[part~=key]")];
  for (const digit of digits) keys.find((key) => key.textContent === digit).click();
  keypad().querySelector(`[part~="${button}"]`).click();
}

export const hidePage = () => window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
export const showPage = () => window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));

/** Says that the network is there, without it having been away. */
export const online = () => window.dispatchEvent(new Event("online"));

/** Makes `navigator.onLine` say so, and tells the page when it changes to true. */
export function pretendOnline(online) {
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => online });
  if (online) window.dispatchEvent(new Event("online"));
}

/** Replaces `window.open` for the length of a test; gives the URLs it was called with. */
export function recordOpens(stand_in) {
  const original = window.open;
  const urls = [];
  window.open = (url) => (urls.push(url), stand_in);
  return { urls: () => urls, restore: () => (window.open = original) };
}

// Counts what is left: timers that neither fired nor were cleared, listeners that were not removed.
const listeners = new Map();
let counting = false;

export function count() {
  if (counting) return;
  counting = true;
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (name, callback, options) {
    track(this ?? window, name, callback, true);
    return addEventListener.call(this ?? window, name, callback, options);
  };
  EventTarget.prototype.removeEventListener = function (name, callback, options) {
    track(this ?? window, name, callback, false);
    return removeEventListener.call(this ?? window, name, callback, options);
  };
}

function track(target, name, callback, added) {
  if (!listeners.has(target)) listeners.set(target, new Map());
  const names = listeners.get(target);
  if (!names.has(name)) names.set(name, new Set());
  added ? names.get(name).add(callback) : names.get(name).delete(callback);
}

/** A text that says what is left; two of them can be compared. */
export function leftovers() {
  let left = 0;
  for (const names of listeners.values()) for (const callbacks of names.values()) left += callbacks.size;
  return `${document.querySelectorAll("*").length} elements, ${left} listeners, ${timersSet()} timers`;
}

/** Replaces `fetch` for one call. */
export function patchFetch(replacement) {
  const original = window.fetch;
  window.fetch = (...args) => {
    window.fetch = original;
    return replacement(...args);
  };
}

/** Options with a secret that is made up here, so that nothing but the SDK brings it into the module's memory. */
export function withCanary(options) {
  return { ...options, clientSecret: crypto.randomUUID() };
}

/** Whether the secret stands anywhere in the module's memory. */
export function isInMemory({ clientSecret }, memory) {
  return new TextDecoder("latin1").decode(memory.buffer).includes(clientSecret);
}

/** Makes `a.b` of the page read as that value. */
export function pretend(path, value) {
  const names = path.split(".");
  const last = names.pop();
  return replace(
    names.reduce((object, name) => object[name], window),
    last,
    { get: () => value },
  );
}

export const restore = (patch) => void patch.restore();

/** Collects what is told to the console as errors. */
export function overhear() {
  const heard = [];
  const value = (...args) => heard.push(args.map(told).join(" "));
  return { heard: () => heard.join("\n"), ...replace(console, "error", { value, writable: true }) };
}

/** Counts what nobody catches. */
export function uncaught() {
  const patch = { count: 0, restore: () => removeEventListener("error", listener) };
  const listener = () => patch.count++;
  addEventListener("error", listener);
  return patch;
}

function told(value) {
  if (value === null || typeof value !== "object") return String(value);
  const names = Object.getOwnPropertyNames(value);
  return [String(value), ...names.map((name) => `${name}: ${told(value[name])}`)].join(" ");
}

/**
 * A `persistTokens` that does what `ways` say, one after the other, the last one for ever: "throw", "reject",
 * "hang" (until let go), "take".
 */
export function host(ways) {
  const list = ways.split(",");
  const calls = [];
  let letGo;
  const free = new Promise((resolve) => (letGo = resolve));
  const persistTokens = (tokens) => {
    calls.push(tokens);
    const way = list[Math.min(calls.length, list.length) - 1];
    if (way === "throw") throw new Error("the back end is down");
    if (way === "reject") return Promise.reject(new Error("the back end is down"));
    return way === "hang" ? free : undefined;
  };
  return { persistTokens, calls, letGo };
}

export const letGo = (host) => host.letGo();

/** What the pages of this browser tell each other. */
export function eavesdrop() {
  const { postMessage } = BroadcastChannel.prototype;
  const heard = [];
  const value = function (message) {
    heard.push(`${this.name} ${JSON.stringify(message)}`);
    return postMessage.call(this, message);
  };
  return { heard, ...replace(BroadcastChannel.prototype, "postMessage", { value, writable: true }) };
}

// The rig of `tests/browser`, and the pages that it serves.

// The next port after this page's.
const RIG = `http://127.0.0.1:${Number(location.port) + 1}`;

export const rigUrl = () => RIG;

/** Embeds another page of the rig's, beside any frame of the SDK's. */
export function bystander(url) {
  const frame = document.createElement("iframe");
  frame.src = url;
  document.body.append(frame);
  return frame;
}

let heard = 0;
window.addEventListener("message", () => (heard += 1));

/** How many messages have arrived in the page. */
export const messages = () => heard;

/** A message that costs nothing to send and, read carelessly, for ever to read. */
export function postHuge() {
  const huge = [];
  huge.length = 4e8; // WebKit goes through all of it to send it, too: more would take it a minute.
  window.postMessage({ posConnect: huge, type: huge }, "*");
}

// What the tests need from the page and from the rig, and Rust has no short word for.

const RIG = "http://127.0.0.1:8796";

export const rigUrl = () => RIG;

export async function rig(path, body) {
  const response = await fetch(RIG + path, body === undefined ? {} : { method: "POST", body });
  if (!response.ok) throw new Error(`rig ${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

export const sleep = (ms) => new Promise((resolve) => realSetTimeout(resolve, ms));

/** Resolves as soon as `test` gives true; rejects after `ms`. */
export async function eventually(test, ms) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(20)) if (test()) return;
  throw new Error("it did not become true");
}

/** Makes `navigator.onLine` say so, and tells the page when it changes to true. */
export function pretendOnline(online) {
  Object.defineProperty(navigator, "onLine", { configurable: true, get: () => online });
  if (online) window.dispatchEvent(new Event("online"));
}

export const openFrames = () => [...document.querySelectorAll("iframe.pos-connect-frame")];

/** Embeds another page of the rig's, beside any frame of the SDK's. */
export function bystander(url) {
  const frame = document.createElement("iframe");
  frame.src = url;
  document.body.append(frame);
  return frame;
}

/** Replaces `window.open` for the length of a test; gives the URLs it was called with. */
export function recordOpens(stand_in) {
  const original = window.open;
  const urls = [];
  window.open = (url) => (urls.push(url), stand_in);
  return { urls: () => urls, restore: () => (window.open = original) };
}

// Counts what is left: timers that neither fired nor were cleared, listeners that were not removed.
const realSetTimeout = window.setTimeout.bind(window);
const timers = new Set();
const listeners = new Map();
let counting = false;

export function count() {
  if (counting) return;
  counting = true;
  const { setTimeout, setInterval, clearTimeout, clearInterval } = window;
  window.setTimeout = (callback, ms, ...rest) => {
    const id = setTimeout.call(window, (...args) => (timers.delete(id), callback(...args)), ms, ...rest);
    timers.add(id);
    return id;
  };
  window.setInterval = (...args) => {
    const id = setInterval.apply(window, args);
    timers.add(id);
    return id;
  };
  window.clearTimeout = (id) => (timers.delete(id), clearTimeout.call(window, id));
  window.clearInterval = (id) => (timers.delete(id), clearInterval.call(window, id));
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
  return `${document.querySelectorAll("*").length} elements, ${left} listeners, ${timers.size} timers`;
}

/** A message that costs nothing to send and, read carelessly, for ever to read. */
export function postHuge() {
  const huge = [];
  huge.length = 4e9;
  window.postMessage({ posConnect: huge, type: huge }, "*");
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

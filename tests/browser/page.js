// What the tests need from the page and from the rig, and Rust has no short word for.

// The next port after this page's.
const RIG = `http://127.0.0.1:${Number(location.port) + 1}`;

export const rigUrl = () => RIG;

export async function rig(path, body) {
  const response = await fetch(RIG + path, body === undefined ? {} : { method: "POST", body });
  if (!response.ok) throw new Error(`rig ${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

export const sleep = (ms) => new Promise((resolve) => realSetTimeout(resolve, ms));

/**
 * Resolves as soon as `test` gives true. The limit is for what never comes; a busy machine may take seconds for
 * what comes at once.
 */
export async function eventually(test) {
  for (const end = performance.now() + 15_000; performance.now() < end; await sleep(20)) if (test()) return;
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
  huge.length = 4e8; // WebKit goes through all of it to send it, too: more would take it a minute.
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

/** Notes how the answer of each call that says so may be cached, for the length of a test. */
export function recordCaches() {
  const original = window.fetch;
  const caches = [];
  window.fetch = (url, options) => {
    if (options?.cache) caches.push(options.cache);
    return original(url, options);
  };
  return { caches: () => caches.join(" "), restore: () => (window.fetch = original) };
}

/** Options with a secret that is made up here, so that nothing but the SDK brings it into the module's memory. */
export function withCanary(options) {
  return { ...options, clientSecret: crypto.randomUUID() };
}

/** Whether the secret stands anywhere in the module's memory. */
export function isInMemory({ clientSecret }, memory) {
  return new TextDecoder("latin1").decode(memory.buffer).includes(clientSecret);
}

// The browser's storage as the tests look into it and break it. Each patch gives an object whose `restore` takes it
// back.

const NAME = "pos-connect";

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The database is opened at whatever version is there, and closed again. */
async function inDatabase(work) {
  const database = await settled(indexedDB.open(NAME));
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

const inEntries = (mode, work) =>
  inDatabase((database) => settled(work(database.transaction("entries", mode).objectStore("entries"))));

/** The ids of what is kept for this service, the connection record's first. */
export async function entryIds(baseUrl) {
  const ids = await inEntries("readonly", (entries) => entries.getAllKeys());
  return ids.filter((id) => decodeURIComponent(id.split(" ")[0]) === baseUrl);
}

/** Flips a bit of each entry of an integration of this service. */
export async function corrupt(baseUrl) {
  let count = 0;
  for (const id of await integrationIds(baseUrl)) {
    const entry = await inEntries("readonly", (entries) => entries.get(id));
    new Uint8Array(entry.sealed)[0] ^= 1;
    await inEntries("readwrite", (entries) => entries.put(entry));
    count += 1;
  }
  return count;
}

/** Takes the entries of the integrations away, as a browser does that makes room. */
export async function evict(baseUrl) {
  const ids = await integrationIds(baseUrl);
  for (const id of ids) await inEntries("readwrite", (entries) => entries.delete(id));
  return ids.length;
}

const integrationIds = async (baseUrl) => (await entryIds(baseUrl)).filter((id) => id.split(" ")[2] !== "");

export const plant = (id, text) =>
  inEntries("readwrite", (entries) =>
    entries.put({ id, iv: new Uint8Array(12), sealed: new TextEncoder().encode(text).buffer }),
  );
export const uproot = (id) => inEntries("readwrite", (entries) => entries.delete(id));

/** Everything in all stores that is text or bytes, as one text. */
export const dump = () =>
  inDatabase(async (database) => {
    const parts = [];
    for (const name of database.objectStoreNames) {
      const store = database.transaction(name).objectStore(name);
      const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
      collect(keys, parts);
      collect(values, parts);
    }
    return parts.join("\n");
  });

function collect(value, parts) {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    for (const form of ["latin1", "utf-16le"]) parts.push(new TextDecoder(form).decode(value));
  } else if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) (parts.push(name), collect(member, parts));
  } else {
    parts.push(String(value));
  }
}

/** What comes of exporting the key, in each form. */
export const exportedKey = () =>
  inDatabase(async (database) => {
    const key = await settled(database.transaction("keys").objectStore("keys").get("key"));
    const tries = ["raw", "jwk"].map((form) =>
      crypto.subtle.exportKey(form, key).then(
        () => "exported",
        (error) => error.name,
      ),
    );
    return [key.constructor.name, key.algorithm.name, key.algorithm.length, ...(await Promise.all(tries))].join(" ");
  });

/** Sets a property of an object of the page's, and takes it back. */
function replace(object, name, descriptor) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, ...descriptor });
  return { restore: () => (before ? Object.defineProperty(object, name, before) : delete object[name]) };
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

/**
 * Refuses to write entries, from the `first` on; `how` is "throw", or "abort", as a full disk is noticed late. Counts
 * what is tried.
 */
export function refuseWrites(first, how) {
  const { put } = IDBObjectStore.prototype;
  const patch = { count: 0 };
  const value = function (...args) {
    if (this.name !== "entries") return put.apply(this, args);
    patch.count += 1;
    if (patch.count < first) return put.apply(this, args);
    if (how === "throw") throw new DOMException("full", "QuotaExceededError");
    const request = put.apply(this, args);
    this.transaction.abort();
    return request;
  };
  return Object.assign(patch, replace(IDBObjectStore.prototype, "put", { value, writable: true }));
}

/** Refuses to open a database: "throw", "error" (as in private modes), or "silence". */
export function refuseOpening(how) {
  const error = new DOMException("not here", "InvalidStateError");
  const value = () => {
    if (how === "throw") throw new DOMException("not here", "SecurityError");
    const request = { error };
    if (how === "error") setTimeout(() => request.onerror({ target: request }));
    return request;
  };
  return replace(IDBFactory.prototype, "open", { value, writable: true });
}

/**
 * Another page brings the next version. Gives its open connection, once nobody else has one; that page never closes
 * by itself.
 */
export async function upgrade() {
  const version = await inDatabase((database) => database.version + 1);
  const request = indexedDB.open(NAME, version);
  request.onupgradeneeded = () => request.result.createObjectStore(`later-${version}`);
  const blocked = new Promise((_, reject) => (request.onblocked = () => reject(new Error("blocked"))));
  const opened = await Promise.race([settled(request), blocked]);
  return { restore: () => opened.close() };
}

/**
 * Another page holds a version and hears nothing; a third one waits to upgrade it, and with it everybody who comes
 * later.
 */
export async function block() {
  const database = await settled(indexedDB.open(NAME));
  const request = indexedDB.open(NAME, database.version + 1);
  request.onsuccess = () => request.result.close();
  // The SDK's own connection makes way.
  await sleep(200);
  return { restore: () => database.close() };
}

/** Closes the connection that is used for the next transaction, just before it. */
export function closeUnderneath() {
  const { transaction } = IDBDatabase.prototype;
  const patch = { count: 0 };
  const value = function (...args) {
    if (patch.count === 0) this.close();
    patch.count += 1;
    return transaction.apply(this, args);
  };
  return Object.assign(patch, replace(IDBDatabase.prototype, "transaction", { value, writable: true }));
}

/** Sets the clock on the wall. */
export function shiftClock(ms) {
  const { now } = Date;
  return replace(Date, "now", { value: () => now.call(Date) + ms, writable: true });
}

/** Timers of these lengths fire after 30 ms, while `isOn` gives true. Counts them. */
function hurry(lengths, isOn) {
  const { setTimeout } = window;
  const patch = { count: 0 };
  const value = (callback, ms, ...rest) => {
    const isHurried = lengths.includes(ms) && isOn();
    patch.count += isHurried;
    return setTimeout.call(window, callback, isHurried ? 30 : ms, ...rest);
  };
  return Object.assign(patch, replace(window, "setTimeout", { value, writable: true }));
}

export const hurryTries = () => hurry([1_000, 2_000, 4_000], () => true);
export const hurryOne = (ms) => hurry([ms], () => true);
/** Only from the host's first call on: other waits of the same length are not meant. */
export const hurryHost = (host, ms) => hurry([ms], () => host.calls.length > 0);

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
    calls.push({ tokens, at: performance.now() });
    const way = list[Math.min(calls.length, list.length) - 1];
    if (way === "throw") throw new Error("the back end is down");
    if (way === "reject") return Promise.reject(new Error("the back end is down"));
    return way === "hang" ? free : undefined;
  };
  return { persistTokens, calls, letGo };
}

export const letGo = (host) => host.letGo();

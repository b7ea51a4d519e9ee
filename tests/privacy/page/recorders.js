// Records what passes by: console, errors, events, writes to storage, requests. Loaded before the package.
import { codeOf, folded, SCRIPTS, valueOf } from "./digits.js";
import { texts } from "./texts.js";

/** What was said since `forget`: { place, where, text }. */
let records = [];
/** The digits that each member of each kind of event carried, one after the other: a key event carries one. */
let carried = new Map();
/** Elements that an event came through. */
let passed = new Set();

export function forget() {
  observer.takeRecords();
  [records, carried, passed] = [[], new Map(), new Set()];
}

export function record(place, where, value) {
  for (const text of texts(value)) records.push({ place, where, text });
}

/** All that was recorded. */
export function recorded() {
  observe(observer.takeRecords());
  const events = [...carried].map(([where, text]) => ({ place: "events", where, text }));
  return [...records, ...events];
}

export const passedNodes = () => [...passed];

/** Records what functions of an owner are given; `names` default to all of them. */
function listenIn(place, owner, names) {
  if (owner === undefined) return;
  for (const name of names ?? Object.getOwnPropertyNames(owner)) {
    const original = owner[name];
    if (typeof original !== "function" || name === "constructor") continue;
    owner[name] = function (...given) {
      record(place, name, given);
      return Reflect.apply(original, this, given);
    };
  }
}

listenIn("console", console);
listenIn("storage", Storage.prototype, ["setItem"]);
listenIn("storage", IDBObjectStore.prototype, ["put", "add"]);
listenIn("storage", globalThis.Cache?.prototype, ["put", "add", "addAll"]);
listenIn("storage", globalThis.CookieStore?.prototype, ["set"]);
listenIn("requests", globalThis, ["fetch", "postMessage", "open"]);
listenIn("requests", Navigator.prototype, ["sendBeacon", "share", "vibrate"]);
listenIn("requests", globalThis.Clipboard?.prototype, ["write", "writeText"]);
listenIn("requests", History.prototype, ["pushState", "replaceState"]);
listenIn("requests", XMLHttpRequest.prototype, ["open", "send", "setRequestHeader"]);
listenIn("requests", globalThis.SpeechSynthesis?.prototype, ["speak"]);
for (const one of [BroadcastChannel, MessagePort, Worker, WebSocket]) {
  listenIn("requests", one.prototype, ["postMessage", "send"]);
}

const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
Object.defineProperty(document, "cookie", {
  get: () => cookie.get.call(document),
  set: (value) => (record("storage", "document.cookie", value), cookie.set.call(document, value)),
});

addEventListener("error", (event) => record("errors", "error", [event.message, event.error]));
addEventListener("unhandledrejection", (event) => record("errors", "unhandledrejection", [event.reason]));

/** In the light of the page, also for a moment: in the keypad's own shadow the number has to be seen. */
const observer = new MutationObserver((changes) => observe(changes));
const all = { childList: true, subtree: true, attributeOldValue: true, characterDataOldValue: true };
observer.observe(document, all);

function observe(changes) {
  for (const change of changes) {
    const added = [...change.addedNodes].filter((node) => !node.shadowRoot);
    const { type, oldValue, target } = change;
    record("DOM", `was written: ${type}`, [oldValue, target.attributes ?? target.data, added]);
  }
}

/** The names of all events that this browser has a handler for, and some that have none. */
function eventNames() {
  const names = new Set(["focusin", "focusout", "textInput"]);
  for (const when of ["start", "update", "end"]) names.add(`composition${when}`);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const owners = [window, document, document.createElement("dialog"), svg];
  for (const owner of owners) {
    for (const name in owner) if (name.startsWith("on")) names.add(name.slice(2));
  }
  return [...names];
}

export const EVENTS = eventNames();

/** As far as a script of the page can get: before the keypad (capture) and behind it. */
for (const name of EVENTS) {
  addEventListener(name, (event) => heard(event, "before the keypad"), { capture: true, passive: true });
  addEventListener(name, (event) => heard(event, "behind the keypad"), { passive: true });
}

const dispatch = EventTarget.prototype.dispatchEvent;
/** As a browser does it: that is no event of the page's own. */
export const send = (target, event) => dispatch.call(target, event);
EventTarget.prototype.dispatchEvent = function (event) {
  heard(event, "dispatched");
  return dispatch.call(this, event);
};

function heard(event, where) {
  for (const node of event.composedPath()) if (node instanceof Node) passed.add(node);
  // Read once for all listeners: it says the same before and behind the keypad.
  const said =
    saidBy.get(event) ??
    members(event)
      .map((name) => [name, saying(event[name])])
      .filter(([, text]) => text);
  saidBy.set(event, said);
  for (const [name, text] of said) {
    const key = `${event.type}.${name} ${where}`;
    carried.set(key, (carried.get(key) ?? "") + text);
  }
}

/** Coordinates take a layout to read. */
const COORDINATES = new Set(["x", "y"]);
for (const of of ["offset", "layer", "page", "client", "screen", "movement"]) {
  for (const axis of ["X", "Y"]) COORDINATES.add(of + axis);
}
const byClass = new Map();
const saidBy = new WeakMap();

/**
 * The members of an event that may say something: no methods, coordinates, constants. No RegExp: a step is on its
 * way.
 */
function members(event) {
  const known = byClass.get(event.constructor);
  if (known !== undefined) return known;
  const names = [];
  for (const name in event) {
    const isDull = COORDINATES.has(name) || name === name.toUpperCase();
    if (!isDull && typeof event[name] !== "function") names.push(name);
  }
  byClass.set(event.constructor, names);
  return names;
}

/** A member's digits, or an empty text. */
function saying(value) {
  if (value === null || value === undefined || value === window || value instanceof Node) return "";
  const said = typeof value === "number" ? digitOf(value) : texts(value).join("\n");
  return folded(said) === "" ? "" : said;
}

/** A digit, as itself or as its code. */
function digitOf(number) {
  if (Number.isInteger(number) && number >= 0 && number <= 9) return String.fromCharCode(codeOf(number, SCRIPTS[0]));
  const value = valueOf(number);
  return value < 0 ? "" : String(value);
}

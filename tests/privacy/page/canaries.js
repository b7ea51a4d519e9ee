// Leaks on purpose, one into each place: what the detectors must find, and find no more once it is gone.
import { turn } from "./clock.js";
import { codeOf, SCRIPTS, written } from "./digits.js";
import { sorted } from "./exceptions.js";
import * as memory from "./memory.js";
import * as places from "./places.js";
import { forget, record, send } from "./recorders.js";

const leak = (place, name, spill) => ({ place, name, spill });
const add = (element) => (document.body.append(element), () => element.remove());

function field(number) {
  const input = document.createElement("input");
  const remove = add(input);
  input.value = number.typed;
  return remove;
}

function shadow(number) {
  const element = document.createElement("div");
  element.attachShadow({ mode: "open" }).append(number.e164);
  return add(element);
}

function attribute(number) {
  const element = document.createElement("div");
  element.dataset.phone = written(number.typed, "arabicIndic");
  return add(element);
}

function sheet(number) {
  const style = new CSSStyleSheet();
  style.replaceSync(`p::before { content: "${number.typed}" }`);
  document.adoptedStyleSheets = [style];
  return () => (document.adoptedStyleSheets = []);
}

/** Only there until the caller looks. */
function transient(number) {
  const element = document.createElement("p");
  document.body.append(element);
  element.setAttribute("title", number.typed);
  element.setAttribute("title", "");
  element.remove();
}

function keptNode(number) {
  const element = document.createElement("section");
  const text = element.appendChild(document.createTextNode(number.typed));
  places.keep(element);
  return () => ((text.data = ""), places.letGo());
}

async function database(number) {
  const opening = indexedDB.open("canary");
  opening.onupgradeneeded = () => opening.result.createObjectStore("store");
  const opened = await new Promise((resolve) => (opening.onsuccess = () => resolve(opening.result)));
  const change = opened.transaction("store", "readwrite");
  change.objectStore("store").put({ deep: [new TextEncoder().encode(number.e164)] }, "key");
  await new Promise((resolve) => (change.oncomplete = resolve));
  opened.close();
  // What was written is recorded as well: only what is kept counts here.
  forget();
  return () => new Promise((resolve) => (indexedDB.deleteDatabase("canary").onsuccess = resolve));
}

async function cache(number) {
  const opened = await caches.open("canary");
  await opened.put("/canary", new Response(number.typed));
  forget();
  return () => caches.delete("canary");
}

/** Key by key: no single event holds the number. */
function keys(type, number) {
  for (const key of number.typed) {
    send(document.body, new KeyboardEvent(type, { key, bubbles: true }));
  }
}

function fail(number) {
  throw new Error(number.typed);
}

function global(number) {
  globalThis.canary = number.typed;
  return () => delete globalThis.canary;
}

const KEPT = [
  leak("RegExp", "a RegExp over the text", (number) => void /^\S/.test(number.typed)),
  leak("RegExp", "a RegExp over one key", (number) => void /[^\x00-\x7f]/.test(written(number.typed[0], "persian"))),
  leak("RegExp", "a group of a RegExp", (number) => void /(\d+)/.test(`to ${written(number.typed, "ascii")}`)),
  leak("DOM", "an attribute", attribute),
  leak("DOM", "the value of a field", field),
  leak("DOM", "a shadow root", shadow),
  leak("DOM", "a style sheet", sheet),
  leak("DOM", "an attribute, for a moment", transient),
  leak("DOM", "a node that was kept", keptNode),
  leak("DOM", "the title", (number) => ((document.title = number.typed), () => (document.title = "till"))),
  leak("DOM", "a global", global),
  leak("storage", "localStorage", (number) => ((localStorage.canary = number.typed), () => delete localStorage.canary)),
  leak("storage", "sessionStorage", (number) => {
    sessionStorage.setItem(number.typed, "");
    return () => sessionStorage.clear();
  }),
  leak("storage", "localStorage, for a moment", (number) => {
    localStorage.setItem("a", number.typed);
    localStorage.clear();
  }),
  leak("storage", "a cookie", (number) => {
    document.cookie = `canary=${number.typed}`;
    forget();
    return () => (document.cookie = "canary=; max-age=0");
  }),
  leak("storage", "IndexedDB", database),
  leak("storage", "caches", cache),
  leak("console", "a text", (number) => console.debug("sending %s", number.e164)),
  leak("console", "the cause of an error", ({ typed }) => console.warn(new Error("no", { cause: { typed } }))),
  leak("events", "an event of the page's own", (number) => {
    document.body.dispatchEvent(new CustomEvent("canary", { detail: { phone: number.typed } }));
  }),
  leak("events", "an input event", (number) => {
    send(document.body, new InputEvent("input", { data: written(number.typed, "fullWidth"), bubbles: true }));
  }),
  leak("events", "keydown that gets through", (number) => keys("keydown", number)),
  leak("errors", "an error that nobody catches", (number) => queueMicrotask(() => fail(number))),
  leak("errors", "a rejection that nobody catches", (number) => void Promise.reject(new Error(number.typed))),
  leak("errors", "an error that is thrown", (number) => record("errors", "thrown", new TypeError(number.typed))),
  leak("outcome", "the cause of a print", (number) => record("outcome", "print", { cause: new Error(number.typed) })),
  leak("requests", "a message", (number) => postMessage(number.typed, "*")),
  leak("requests", "a request", async (number) => {
    await (await fetch(`/canary?phone=${number.typed}`)).text(); // Its entry comes when the body has ended.
    return () => performance.clearResourceTimings();
  }),
];

/** The smallest module that exports a memory, loaded as the package is. */
const MODULE = [0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 109, 2, 0];

function inMemory(name, bytesOf) {
  return leak("memory", name, async (number) => {
    const { instance } = await WebAssembly.instantiate(new Uint8Array(MODULE));
    new Uint8Array(instance.exports.m.buffer).set(bytesOf(number), 4321);
    return () => memory.remove(instance.exports.m);
  });
}

const wide = (List, values) => new Uint8Array(List.from(values).buffer);
const utf16 = (text) =>
  wide(
    Uint16Array,
    [...text].map((character) => character.charCodeAt(0)),
  );
const utf8 = (text) => new TextEncoder().encode(text);
const values = ({ typed }) => [...typed].map(Number);

const IN_MEMORY = [
  ...SCRIPTS.flatMap((script) => [
    inMemory(`UTF-8, ${script}`, ({ typed }) => utf8(written(typed, script))),
    inMemory(`UTF-16, ${script}`, ({ typed }) => utf16(written(typed, script))),
  ]),
  inMemory("grouped", ({ typed }) => utf8(`${typed.slice(0, 3)}-${typed.slice(3, 6)}-${typed.slice(6)}`)),
  inMemory("spaced", ({ typed }) => utf8([...typed].join(" "))),
  inMemory("without its last digit", ({ typed }) => utf8(typed.slice(0, -1))),
  inMemory("characters of 32 bits", (number) =>
    wide(
      Uint32Array,
      values(number).map((digit) => codeOf(digit, "ascii")),
    ),
  ),
  inMemory("values of 8 bits", values),
  inMemory("values of 32 bits", (number) => wide(Uint32Array, values(number))),
  inMemory("an integer of 32 bits", ({ digits }) => wide(Uint32Array, [Number(digits)])),
  inMemory("an integer of 64 bits", ({ withCode }) => wide(BigUint64Array, [BigInt(withCode)])),
  inMemory("a float", ({ withCode }) => wide(Float64Array, [Number(withCode)])),
];

async function tried({ place, name, spill }) {
  const number = places.freshNumber();
  forget();
  places.arm();
  if (places.statics(number).length > 0) return `${name}: the canary of the RegExp statics is taken for a number`;
  const clean = await spill(number);
  const statics = places.statics(number);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  const found = sorted([...statics, ...(await places.everywhere(number))]).leaks;
  if (typeof clean === "function") await clean();
  forget();
  places.arm();
  const left = [...places.statics(number), ...(await places.everywhere(number))];
  if (!found.some((one) => one.place === place)) return `${name}: not found in ${place}, but ${JSON.stringify(found)}`;
  return left.length > 0 ? `${name}: still found when it is gone: ${JSON.stringify(left)}` : undefined;
}

/** A key that comes up behind the keypad. */
async function keyups() {
  const number = places.freshNumber();
  forget();
  keys("keyup", number);
  const { leaks } = sorted(places.atOnce(number));
  return leaks.some(({ place }) => place === "events") ? undefined : `keyup: not found, but ${JSON.stringify(leaks)}`;
}

export async function canaries() {
  // The errors that nobody catches are meant.
  addEventListener("error", (event) => event.preventDefault());
  addEventListener("unhandledrejection", (event) => event.preventDefault());
  const all = [...KEPT, ...IN_MEMORY];
  const report = { tried: all.length, blind: [] };
  for (const one of all) report.blind.push(await tried(one));
  report.blind.push(await keyups());
  return { ...report, blind: report.blind.filter(Boolean) };
}

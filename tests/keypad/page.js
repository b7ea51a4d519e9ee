// Fingers, keys and eyes for the tests of the keypad.

import "../page/clock.js";

/** The keypad's shadow root while an ask is shown; the last one, if there are several. */
export function root() {
  const has = (element) => element.shadowRoot?.querySelector("[part=keypad]");
  const shown = [...document.querySelectorAll("*")].filter(has);
  return shown.at(-1)?.shadowRoot;
}

export const isShown = () => root() !== undefined;

/** What the shopper sees after the end: its element, if there is one. */
const shownOutcome = () =>
  [...document.querySelectorAll("*")]
    .map((element) => element.shadowRoot?.querySelector("[part=outcome]"))
    .find(Boolean);

/** Its text; empty while there is none. */
export const outcome = () => shownOutcome()?.textContent ?? "";
export const hasOutcome = () => shownOutcome() !== undefined;
export const outcomeHost = () => shownOutcome()?.getRootNode().host.parentElement;
/** What is wrong with it: it must be heard, and be in nobody's way. */
export function outcomeFlaws() {
  const element = shownOutcome();
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const flaws = [];
  if (element.role !== "status" && element.getAttribute("role") !== "status") flaws.push("not heard");
  if (element.closest("dialog, [aria-modal]") || document.querySelector("dialog:modal")) flaws.push("modal");
  if (element.querySelector("a, button, input, [tabindex]") || element.tabIndex >= 0) flaws.push("can have the focus");
  if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight)
    flaws.push(`cut: ${[left, top, right, bottom]}`);
  return flaws.join(", ");
}

/** An element by its part, or a key of the grid by what stands on it ("<" takes one back). */
export function part(name) {
  if (name === "<") return root().querySelector("[part~=delete]");
  const offered = root().querySelector(`[part=offered][lang="${name}"]`);
  if (offered) return offered;
  if (/^[0-9+]$/.test(name)) return [...root().querySelectorAll("[part~=key]")].find((key) => key.textContent === name);
  return root().querySelector(`[part~="${name}"]`);
}

/** How many pixels of the keypad are above the window and below it. */
export function outOfView() {
  const { top, bottom } = part("keypad").getBoundingClientRect();
  return Math.max(0, Math.floor(-top)) + Math.max(0, Math.floor(bottom - innerHeight));
}

export const text = (name) => (part(name).hidden ? "" : part(name).textContent);
export const attribute = (name, attribute) => part(name).getAttribute(attribute);
export const focused = () => root()?.activeElement?.getAttribute("part") ?? "";
export const focusedText = () => root()?.activeElement?.textContent ?? "";

const event = (Class, type, more) => new Class(type, { bubbles: true, composed: true, cancelable: true, ...more });

/** A pointer goes down. */
export function down(name, pointerId, pointerType) {
  const target = part(name);
  target.dispatchEvent(event(PointerEvent, "pointerdown", { pointerId, pointerType, button: 0, buttons: 1 }));
  return target;
}

/** Its click. */
export function up(target, pointerId, pointerType) {
  target.dispatchEvent(event(PointerEvent, "pointerup", { pointerId, pointerType, button: 0 }));
  const focusMoves = target.dispatchEvent(event(MouseEvent, "mousedown", { button: 0 }));
  if (focusMoves) target.focus();
  target.dispatchEvent(event(PointerEvent, "click", { pointerId, pointerType, detail: 1 }));
}

/** The pointer turns out to scroll. */
export const cancel = (target, pointerId) =>
  target.dispatchEvent(event(PointerEvent, "pointercancel", { pointerId, pointerType: "touch" }));

/** The finger has been down for so long that a menu would open. */
export const hold = (target) => target.dispatchEvent(event(PointerEvent, "contextmenu", { pointerType: "touch" }));

export const tap = (name) => up(down(name, 5, "touch"), 5, "touch");

/** A click that no pointer of this page made: a keyboard's, or an assistive technology's. */
export const activate = (name) => part(name).click();

/** A key of the keyboard; says whether the page kept the browser from doing what it does. */
export function press(key, more) {
  const target = root().activeElement ?? document.body;
  const keydown = event(KeyboardEvent, "keydown", { key, ...more });
  // When a scanner's key was pressed, however late a busy page hears of it.
  if (more?.at !== undefined) Object.defineProperty(keydown, "timeStamp", { value: more.at });
  const isKept = !target.dispatchEvent(keydown);
  // What the browser would do.
  if (!isKept && (key === "Enter" || key === " ") && target.localName === "button") target.click();
  if (!isKept && key === "Tab") part("clear").focus();
  // It comes up where the focus is now.
  (root()?.activeElement ?? document.activeElement).dispatchEvent(event(KeyboardEvent, "keyup", { key }));
  return isKept;
}

/** From now on all events have this time; without one, the time of the clock again. */
const { timeStamp } = Object.getOwnPropertyDescriptors(Event.prototype);
export const stampEvents = (stamp) =>
  Object.defineProperty(
    Event.prototype,
    "timeStamp",
    stamp === undefined ? timeStamp : { ...timeStamp, get: () => stamp },
  );

/** A place in a window that opens now: its events count from here, and its clock is not the test's. */
export function laterWindow() {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  return frame.contentDocument.body;
}

/** A finger taps keys of the keypad that is in such a place. */
export function tapThere(place, keys) {
  const { shadowRoot } = place.querySelector("ereceipt-keypad");
  const { PointerEvent } = place.ownerDocument.defaultView;
  for (const name of keys) {
    const key = [...shadowRoot.querySelectorAll("[part~=key]")].find((key) => key.textContent === name);
    const finger = { pointerId: 5, pointerType: "touch", button: 0 };
    key.dispatchEvent(event(PointerEvent, "pointerdown", finger));
    key.dispatchEvent(event(PointerEvent, "click", { ...finger, detail: 1 }));
  }
  return shadowRoot.querySelector("[part=display]").textContent;
}

/** A text is pasted; says whether the page kept the browser from doing what it does. */
export function paste(text) {
  const target = root().activeElement ?? document.body;
  const pasted = event(Event, "paste");
  // Firefox empties the clipboard of an event that a page makes.
  Object.defineProperty(pasted, "clipboardData", { value: { getData: (kind) => (kind === "text/plain" ? text : "") } });
  return !target.dispatchEvent(pasted);
}

/** An older browser, or a page that removes what it does not know. */
export function takeIntl() {
  const taken = globalThis.Intl;
  delete globalThis.Intl;
  return taken;
}
export const giveIntl = (taken) => Object.defineProperty(globalThis, "Intl", { value: taken, configurable: true });

/** The page makes no more elements, until the function that it gives is called. */
export function breakElements() {
  const { createElement } = Document.prototype;
  Document.prototype.createElement = () => {
    throw "broken";
  };
  return () => (Document.prototype.createElement = createElement);
}

/** A device that notes when it vibrates and clicks, until `end`. One that is mute throws for each click. */
export class Device {
  #felt = [];
  #start = OscillatorNode.prototype.start;

  constructor(isMute) {
    const felt = this.#felt;
    Object.defineProperty(navigator, "vibrate", { value: () => felt.push("vibrate"), configurable: true });
    const start = this.#start;
    OscillatorNode.prototype.start = function () {
      if (isMute) throw new Error("no sound");
      felt.push("click");
      return start.call(this);
    };
  }

  end() {
    delete navigator.vibrate;
    OscillatorNode.prototype.start = this.#start;
    return this.#felt.join(" ");
  }
}

/** A scanner types: a key each `gap` ms, and in the end others. Whether the keypad took each of these. */
export function scan(code, gap, ends) {
  const keys = [...code, ...ends];
  const begin = performance.now() - gap * keys.length;
  const taken = keys.map((key, index) => press(key, { at: begin + gap * index }));
  return taken.slice(-ends.length).every(Boolean);
}

export const focus = (name) => part(name).focus();
// Not the host: Firefox takes the focus from the element that has it only.
export const blur = () => root().activeElement.blur();
export const pagehide = () => window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
export const cancelDialog = () =>
  root()
    .querySelector("dialog")
    .dispatchEvent(new Event("cancel", { cancelable: true }));
export const hasDialog = () => root().querySelector("dialog")?.open === true;

export function opener() {
  const button = document.createElement("button");
  document.body.append(button);
  button.focus();
  return button;
}

/** Everything that a page can read: elements, attributes, shadow roots, storage. */
export function everything() {
  const seen = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) seen.push(node.data);
    for (const attribute of node.attributes ?? []) seen.push(attribute.value);
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.childNodes) walk(child);
  };
  walk(document);
  for (const storage of [localStorage, sessionStorage]) seen.push(JSON.stringify({ ...storage }));
  seen.push(document.cookie, location.href, JSON.stringify(history.state), RegExp.input, RegExp.lastMatch, ...watched);
  return seen.join("\n");
}

// Events that leave the keypad, and the console.
const watched = [];
const nodes = [];

export function watch() {
  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const original = console[level];
    console[level] = (...all) => (watched.push(all.map(String).join(" ")), original.apply(console, all));
  }
  for (const type of ["input", "change", "message", "storage"])
    window.addEventListener(type, (event) => watched.push(JSON.stringify(event.detail ?? event.data ?? "")));
}

/** Keeps hold of the text nodes that are in the keypad now, as a page could. */
export function keepNodes() {
  const walker = document.createTreeWalker(root(), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
}

export const keptTexts = () => nodes.map((node) => node.data).join("\n");

/** How many of their elements are lit. */
export const keptLights = () => nodes.filter(({ parentElement }) => parentElement?.hasAttribute("data-lit")).length;

/** A valid number that nobody but this file knows, so that only the keypad brings it into the module's memory. */
let secret;

/** Taps such a number, as the finger of somebody whose number it is. */
export function tapSecret() {
  secret = `0502${String(crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000).padStart(6, "0")}`;
  for (const digit of secret) tap(digit);
}

/**
 * In which ways the number stands in the module's memory: as text, as UTF-16, as the digits' values; whole, without
 * its 0, or grouped.
 */
export function secretsIn(memory) {
  const bytes = new TextDecoder("latin1").decode(memory.buffer);
  const national = secret.slice(1);
  const texts = [
    national,
    secret.replace(/^(...)(...)/, "$1-$2-"),
    [...secret].join(" "),
    `${national.slice(0, 2)}-${national.slice(2, 5)}-${national.slice(5)}`,
  ];
  const ways = texts.flatMap((text) => [
    ["text", text],
    ["UTF-16", [...text].join("\0")],
  ]);
  ways.push(
    ["digits", String.fromCharCode(...[...national].map(Number))],
    ["digits of 32 bits", String.fromCharCode(...[...national].flatMap((digit) => [Number(digit), 0, 0, 0]))],
  );
  return ways
    .filter(([, needle]) => bytes.includes(needle))
    .map(([way]) => way)
    .join(", ");
}

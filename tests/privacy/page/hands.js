// A shopper's fingers and keyboard.
import { time } from "./clock.js";
import { send } from "./recorders.js";

/** The shadow root of the keypad that is shown; the last one, if there are several. */
export function root() {
  const shown = [...document.querySelectorAll("*")].filter((element) => element.shadowRoot?.childElementCount);
  return shown.at(-1)?.shadowRoot;
}

/** An event as the browser would send it, now by the page's clock. */
function act(target, Class, type, more) {
  const event = new Class(type, { bubbles: true, composed: true, cancelable: true, ...more });
  Object.defineProperty(event, "timeStamp", { value: time() });
  return send(target, event);
}

/** An element by its part, or a key of the grid by what stands on it. */
function part(name) {
  const isKey = name.length === 1;
  const keys = root().querySelectorAll(isKey ? "[part~=key]" : `[part~="${name}"]`);
  return isKey ? [...keys].find((key) => key.textContent === name) : keys[0];
}

export const text = (name) => (part(name).hidden ? "" : part(name).textContent);

export function tap(name) {
  const target = part(name);
  const touch = { pointerId: 5, pointerType: "touch", button: 0 };
  act(target, PointerEvent, "pointerdown", { ...touch, buttons: 1 });
  act(target, PointerEvent, "pointerup", touch);
  if (act(target, MouseEvent, "mousedown", { button: 0 })) target.focus();
  act(target, MouseEvent, "mouseup", { button: 0 });
  act(target, PointerEvent, "click", { ...touch, detail: 1 });
}

export function press(key) {
  const target = root().activeElement ?? document.body;
  const isDefault = act(target, KeyboardEvent, "keydown", { key });
  // What the browser would do.
  if (isDefault && key === "Enter" && target.localName === "button") target.click();
  act(target, KeyboardEvent, "keyup", { key });
}

export const leave = () => send(window, new PageTransitionEvent("pagehide", { persisted: true }));
export const cancelDialog = () => {
  const dialog = root().querySelector("dialog");
  send(dialog, new Event("cancel", { cancelable: true }));
};
export const host = () => root().host;

// What hands do to a keypad, by the page's own clock.
import { skip, time } from "./clock.js";

/** An event of the keyboard, at the time of the page's clock. */
export function keyEvent(type, key, more = {}) {
  const made = new KeyboardEvent(type, { key, bubbles: true, composed: true, cancelable: true, ...more });
  Object.defineProperty(made, "timeStamp", { value: time() });
  return made;
}

/** A key, down and up, and what a browser does by itself when it goes down on a button. */
export function stroke(target, key, more) {
  const event = (type) => keyEvent(type, key, more);
  const isDefault = target.dispatchEvent(event("keydown"));
  if (isDefault && (key === "Enter" || key === " ") && target.localName === "button") target.click();
  (document.activeElement?.shadowRoot?.activeElement ?? document.activeElement ?? document.body).dispatchEvent(
    event("keyup"),
  );
}

/** A number, slower than a scanner. */
export function digits(display, number) {
  for (const digit of number) {
    stroke(display, digit);
    skip(60);
  }
  skip(60); // A breath, or an Enter would be a scanner's.
}

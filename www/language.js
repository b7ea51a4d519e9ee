// The language of a kiosk, which the shopper chooses. A till speaks English, as its cashier does.
import { directionOf, wordsIn } from "./display-words.js";
import { kioskWords } from "./kiosk-words.js";
import { choice, locales } from "./receipt-choice.js";

const root = document.documentElement;
const IS_KIOSK = "kiosk" in root.dataset;
const own = choice.locale; // That of the next shopper.
const listeners = new Set();

/** An English text, as the shopper reads it, with these values in it. */
export function say(english, values = {}) {
  const locale = IS_KIOSK ? choice.locale : "en";
  const { tax, total, back } = wordsIn(locale);
  const text = kioskWords[locale]?.[english] ?? { Tax: tax, Total: total, Back: back }[english] ?? english;
  // In a text from right to left a price stays in one piece.
  const isolated = (value) => (directionOf(locale) === "rtl" ? `\u2066${value}\u2069` : `${value}`);
  return Object.entries(values).reduce((said, [name, value]) => said.replace(`{${name}}`, () => isolated(value)), text);
}

/** Says each text that is marked, or the label of what has one. */
export function translate(part) {
  for (const element of part.querySelectorAll("[data-say]")) {
    const label = ["aria-label", "title"].find((name) => element.hasAttribute(name));
    element.dataset.say ||= label ? element.getAttribute(label) : element.textContent.trim();
    const text = say(element.dataset.say);
    if (label) element.setAttribute(label, text);
    else element.textContent = text;
  }
}

/** Calls `listener` after each change of the language, for what says more than marked texts. */
export const onLanguage = (listener) => listeners.add(listener);

/** Shows the kiosk in the language of whoever stands there. */
export function speak(locale) {
  if (!IS_KIOSK) return;
  choice.locale = locale; // The keypad begins in it.
  Object.assign(root, { lang: locale, dir: directionOf(locale) });
  translate(document);
  for (const button of document.querySelectorAll("#languages button"))
    button.setAttribute("aria-pressed", String(button.lang === locale));
  for (const listener of listeners) listener();
}

/** Shows the kiosk in its own language, in which the next shopper begins. */
export const speakOwn = () => speak(own);

/** Offers all languages, each by its own name. Has to be called once. */
export function offerLanguages() {
  const place = document.getElementById("languages");
  for (const [lang, name] of locales) {
    const button = Object.assign(document.createElement("button"), { type: "button", lang, textContent: name });
    button.addEventListener("click", () => speak(lang));
    place.append(button);
  }
  place.hidden = false;
  speakOwn();
}

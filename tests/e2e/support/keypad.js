import { setTimeout as sleep } from "node:timers/promises";
import { Key } from "selenium-webdriver";
import { holdTimers, ORDER_PATIENCE } from "./timers.js";
import { becomes, eventually, reads } from "./wait.js";

const GUARD = 500; // ms
const PACE = 40; // ms between two keys
const BREATH = 100; // ms before Enter: without it, it is a scanner's

/** Finds `part` in the keypad's shadow root, wherever the keypad is; a key by its label. */
const FIND = `
  const root = document.querySelector("ereceipt-keypad")?.shadowRoot;
  const find = (part, label) =>
    Array.from(root?.querySelectorAll('[part~="' + part + '"]') ?? [])
      .find((element) => label == null || element.textContent.trim() === label);`;

/** Without the marks that isolate a number from the writing around it. */
const isolated = (text) => text?.replace(/[\u2066-\u2069\u200e\u200f]/g, "") ?? null;

/**
 * Keeps each outcome that is shown, and its middle in CSS pixels: it is there for two seconds, and on a busy machine a
 * test looks too late.
 */
const RECORD = `
  if (!window.keypadTold) {
    const told = (window.keypadTold = []);
    const everything = { childList: true, subtree: true, characterData: true };
    const look = () => {
      for (const { shadowRoot } of document.querySelectorAll("ereceipt-keypad")) {
        if (!shadowRoot) continue;
        observer.observe(shadowRoot, everything); // Again is as good as once.
        const outcome = shadowRoot.querySelector('[part~="outcome"]');
        const text = outcome?.textContent.trim();
        if (!text || told.at(-1)?.text === text) continue;
        const { left, right } = outcome.getBoundingClientRect();
        told.push({ text, middle: (left + right) / 2 });
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(document, everything);
  }`;

/** The keypad in the till's page, as cashier and shopper use it. */
export class Keypad {
  #window;

  constructor(window) {
    this.#window = window;
  }

  /**
   * Waits until it asks, and until pointers count: in its first moment they may have been meant for what stood there
   * before.
   */
  async shows() {
    await becomes(() => this.run("return Boolean(find('send')?.checkVisibility())"), true, "The keypad never came.");
    await this.run(RECORD);
    await holdTimers(this.#window, ORDER_PATIENCE);
    await sleep(GUARD);
  }

  /** Waits until it is gone. */
  async isGone() {
    await becomes(() => this.run("return !find('send')"), true, "The keypad never went.");
  }

  /** Clicks a part, with the mouse; a key by its label. */
  async click(part, label) {
    const find = () => this.run("return find(...arguments)", part, label);
    await (await eventually(find, `The keypad has no ${part} ${label ?? ""}.`)).click();
  }

  /** Taps the keys of a number, one after the other. */
  async tap(keys) {
    for (const key of keys) await this.click("key", key);
  }

  /** Types on the hardware keyboard, wherever the focus is; at a person's pace, because a faster one is a scanner's. */
  async type(...keys) {
    const typing = keys
      .flatMap((key) => [...key])
      .reduce(
        (actions, key) => actions.pause(key === Key.ENTER ? BREATH : 0).sendKeys(key).pause(PACE),
        this.#window.actions(),
      );
    await typing.perform();
  }

  async enter() {
    await this.type(Key.ENTER);
  }

  /** Waits until a part's text is, or matches, `expected`. */
  says(part, expected) {
    const text = "return find(arguments[0])?.textContent.trim() ?? null";
    return reads(`The keypad's ${part}`, () => this.run(text, part).then(isolated), expected);
  }

  /** Waits until the page's last outcome, there or gone by now, is `expected`; gives its middle in CSS pixels. */
  async told(expected) {
    const last = () => this.run("return window.keypadTold?.at(-1)");
    await reads("The keypad's last outcome", async () => isolated((await last())?.text), expected);
    return (await last()).middle;
  }

  /** Waits until a script, with `find` and `root` at hand, gives `expected`. */
  holds(script, expected, message) {
    return becomes(() => this.run(script), expected, message);
  }

  /** Runs a script with `find` and `root` at hand. */
  run(script, ...args) {
    return this.#window.executeScript(`${FIND} ${script}`, ...args);
  }
}

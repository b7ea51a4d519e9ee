// All asks of one language, in a realm of their own: what webdriver runs in the page around it, it does not see.
import { CASES, calm } from "./cases.js";
import { advance, settled, turn, until } from "./clock.js";
import { holds, SCRIPTS, written } from "./digits.js";
import { sorted } from "./exceptions.js";
import * as hands from "./hands.js";
import * as places from "./places.js";
import { count } from "./memory.js";
import { forget, record } from "./recorders.js";

/** A finger types what the ASCII keyboard does: once for each outcome. */
const TOUCH = "touch";
const GUARD_MS = 450;
const TYPING_MS = 60;
const PAUSE_MS = 1000;
const OUTCOME_MS = 2_100;

export const OPTIONS = {
  baseUrl: `${location.origin}/relay`,
  connectUrl: `${location.origin}/connect`,
  clientId: "till",
};

class Run {
  constructor(sdk, locale, hand, one, number) {
    Object.assign(this, { sdk, locale, hand, one, number, found: [], cleanups: [], controller: new AbortController() });
    this.plain = { orderId: "A", region: one.region ?? "IL", locale };
    this.prefill = this.written(number.e164);
  }

  afterwards(cleanup) {
    this.cleanups.push(cleanup);
  }

  written(digits) {
    return written(digits, this.hand === TOUCH ? "ascii" : this.hand);
  }

  /** One thing that happens, and what the page can read of it at once and a little later. */
  async step(name, act) {
    places.arm();
    const acted = act();
    this.see(name);
    await acted;
    await turn();
    this.see(name);
  }

  see(name) {
    const found = places.statics(this.number);
    this.found.push(...found.map(({ place, where }) => ({ place, where: `${where} (${name})` })));
  }

  async type(digits) {
    for (const digit of this.hand === TOUCH ? digits : this.written(digits)) {
      await advance(TYPING_MS);
      if (this.hand === TOUCH) await this.tap(digit);
      else await this.press(digit);
    }
    this.found.push(...places.outsideKeypad(this.number, hands.root()));
  }

  press(key) {
    return this.step(key.length === 1 ? "a key" : key, () => hands.press(key));
  }

  async tap(name) {
    await advance(TYPING_MS);
    await this.step(name.length === 1 ? "a touch" : name, () => hands.tap(name));
  }

  /** After a pause a screen reader hears the number. */
  async pause() {
    await this.step("the pause", () => advance(PAUSE_MS));
    const root = hands.root();
    if (root === undefined) return;
    places.keep(root);
    this.found.push(...places.outsideKeypad(this.number, root));
  }

  async begin() {
    const { one, sdk, controller } = this;
    this.changes = [];
    const known = { ...OPTIONS, ereceipt: true, onOutbox: (change) => this.changes.push(change) };
    this.till = await sdk.PosConnect.create(one.isUnknown ? OPTIONS : known);
    this.options = { ...this.plain, signal: controller.signal, ...one.options(this) };
    if (one.isElement) {
      this.element = document.body.appendChild(document.createElement("ereceipt-keypad"));
      this.afterwards(() => this.element.remove());
      this.outcome = this.element.ask(this.options);
    } else {
      this.outcome = this.till.receiptFor(this.options);
    }
    if (!one.isShown) return;
    await until(() => hands.root() !== undefined, "the keypad is shown");
    await advance(GUARD_MS);
  }

  /** Takes the ask's place, and goes when that has ended. */
  askAgain() {
    const next = new AbortController();
    this.outcome.then(() => next.abort());
    this.element.ask({ ...this.plain, signal: next.signal });
  }

  /** What is looked for is there to be found: the search works, and the number was typed. */
  mustStandInKeypad() {
    const shown = hands.text("display");
    const last = this.number.typed.slice(-4);
    const isShown = this.options.prefill ? shown === `•••• ${last}` : holds(shown, this.number);
    if (!isShown) throw new Error(`the display does not show the number but: ${shown.length} characters`);
    if (places.inMemory(this.number).length === 0) throw new Error("the search finds no number in the module's memory");
  }

  /** When nothing is on its way any more. */
  async lookEverywhere() {
    await this.step("afterwards", calm);
    this.found.push(...(await places.everywhere(this.number)));
  }

  async end() {
    if (this.one.isShown) this.mustStandInKeypad();
    await this.one.end(this);
    const outcome = await settled(this.outcome, "an outcome");
    // At once, as the page may look then; what the recorders and the storage have, stays.
    this.see("settled");
    const ended = [outcome.kind, outcome.reason].filter(Boolean).join(" ");
    if (ended !== this.one.outcome) throw new Error(`the outcome is "${ended}" instead of "${this.one.outcome}"`);
    if (outcome.kind === "ereceipt" && outcome.phone !== this.number.e164) throw new Error("another number was sent");
    // What the host is given is the host's: of anything else than an e-receipt, no number.
    if (outcome.kind !== "ereceipt") record("outcome", ended, outcome);
    this.found.push(...places.atOnce(this.number));
    // The shopper reads what became of it, and then that goes, too.
    await this.step("the end of the outcome", () => advance(OUTCOME_MS));
    await this.lookEverywhere();
    if (hands.root() !== undefined) throw new Error("the keypad is still there");
  }
}

async function run(sdk, locale, hand, one, report) {
  const number = places.freshNumber(one.region);
  forget();
  const run = new Run(sdk, locale, hand, one, number);
  try {
    await run.begin();
    await one.enter(run);
    await run.end();
  } catch (error) {
    report.failures.push(`${hand}, ${one.name}: ${error.message}`);
  }
  run.controller.abort();
  run.till?.destroy();
  for (const cleanup of run.cleanups) cleanup();
  places.letGo();
  await calm();
  const { leaks } = sorted(run.found);
  report.ran.push(`${one.outcome}`);
  const said = new Set(leaks.map(({ place, where }) => `${hand}, ${one.name}: ${place}: ${where}`));
  report.leaks.push(...said);
}

export async function matrix(sdk, locale) {
  const once = CASES.filter(({ outcome }, at) => CASES.findIndex((other) => other.outcome === outcome) === at);
  // The ways to an outcome and the scripts are the same in each language; what is shown and said at its end is not.
  const typed = locale === "en" ? SCRIPTS.flatMap((script) => CASES.map((one) => [script, one])) : [];
  const all = [...typed, ...once.map((one) => [TOUCH, one])];
  const report = { asks: all.length, ran: [], leaks: [], failures: [] };
  await sdk.defineKeypad();
  if (count() !== 1) throw new Error(`${count()} memories were seen instead of the module's`);
  for (const [hand, one] of all) await run(sdk, locale, hand, one, report);
  return report;
}

// The shopper's side of a storm: keypads, and what fingers do to them.
import { time } from "./clock.js";
import { digits, stroke } from "./hands.js";
import { REGIONS, container, spread } from "./storm-given.js";
import { never, thrown } from "./world.js";

const KEYS = [..."0123456789", "Enter", "Escape", "Backspace", "Tab", " ", "ArrowRight"];

/** So long after it was shown, the keypad takes no key for the shopper's will. */
const GUARD_MS = 400;

/** So long the keypad waits for `onSend`. */
const SEND_MS = 10_000;

/**
 * A receipt is sent at most once an ask, and once more after that has failed. Both times the shopper does it, after the
 * keypad was shown.
 */
function onSend(world, roll) {
  let calls = 0;
  let hasFailed = false;
  let since;
  const kind = roll.below(6);
  if (kind === 0) return undefined;
  return () => {
    calls += 1;
    world.ledger.count("onSend");
    const isOver = hasFailed || (kind === 3 && time() - since >= SEND_MS);
    if (calls > 2 || (calls === 2 && !isOver)) world.ledger.fail("onSend was called twice for one ask");
    if (!world.isConsenting) world.ledger.fail("onSend without an action of the shopper's");
    since = time();
    if (kind === 1) {
      hasFailed = true;
      throw thrown();
    }
    if (kind === 2) return Promise.reject(thrown()).finally(() => (hasFailed = true));
    if (kind === 3) return never();
    if (kind === 4) world.shownKeypads.at(-1)?.shadowRoot.querySelector('[part~="print"]')?.click();
    return undefined;
  };
}

function receipt(world, roll) {
  return {
    orderId: `order ${roll.below(1000)}`,
    region: roll.one(REGIONS),
    onSend: onSend(world, roll),
    prefill: roll.chance(0.3) ? "+972502345678" : undefined,
    signal: roll.chance(0.3) ? world.signal() : undefined,
    idleSeconds: roll.chance(0.3) ? 25 : undefined,
    noAnswer: roll.chance(0.2) ? "none" : undefined,
    languages: roll.one([undefined, ["en", "he"], ["en", "he", "ar", "es"]]),
  };
}

function settledReceipt(world) {
  return (result, error) => {
    if (error) return;
    const kinds = { ereceipt: false, print: true, none: false };
    if (kinds[result?.kind] !== result?.print) world.ledger.fail(`an odd result: ${JSON.stringify(result)}`);
  };
}

/** Runs what may send, as the shopper's. */
function consenting(world, act) {
  world.isConsenting = true;
  try {
    act();
  } finally {
    world.isConsenting = false;
  }
}

/** Presses a key. In the first moment of a keypad it may be one that was meant for the till. */
function pressing(world, target, key, more) {
  const isTooSoon = time() - world.shownAt(target.getRootNode()) < GUARD_MS;
  if (isTooSoon) world.ledger.count("a key too soon");
  const press = () => stroke(target, key, more);
  if (isTooSoon) press();
  else consenting(world, press);
}

const last = (list) => list.at(-1);
const part = (world, name) => last(world.shownKeypads)?.shadowRoot.querySelector(`[part~="${name}"]`);

export const HANDS = [
  {
    name: "receiptFor",
    weight: 8,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (!client) return;
      const given = { ...receipt(world, roll), container: container(world, roll) };
      world.ledger.expect("receiptFor", client.receiptFor(given), settledReceipt(world)).catch(() => {});
    },
  },
  {
    name: "ask",
    weight: 3,
    run: (world, roll) => {
      if (world.keypads.length < 2) {
        const element = new world.Keypad();
        document.body.append(element);
        world.keypads.push(element);
      }
      const element = roll.one(world.keypads);
      if (!element.isConnected) document.body.append(element);
      world.ledger.expect("ask", element.ask(receipt(world, roll)), settledReceipt(world)).catch(() => {});
    },
  },
  {
    name: "a number",
    weight: 8,
    run: (world) => {
      const display = part(world, "display");
      if (!display) return;
      digits(display, "0502345678");
    },
  },
  {
    name: "a key",
    weight: 10,
    run: (world, roll) => {
      const target = document.activeElement?.shadowRoot?.activeElement ?? part(world, "display") ?? document.body;
      pressing(world, target, roll.one(KEYS), { repeat: roll.chance(0.1) });
    },
  },
  {
    name: "send",
    weight: 6,
    run: (world, roll) => {
      const send = part(world, "send");
      const display = part(world, "display");
      if (send && roll.chance(0.5)) consenting(world, () => send.click());
      else if (display) pressing(world, display, "Enter");
    },
  },
  { name: "print", weight: 2, run: (world) => part(world, "print")?.click() },
  {
    name: "language",
    weight: 3,
    run: (world, roll) => {
      part(world, "language")?.click();
      const listed = last(world.shownKeypads)?.shadowRoot.querySelectorAll("[part=offered]") ?? [];
      roll.one([null, ...listed])?.click();
    },
  },
  {
    name: "a touch",
    weight: 4,
    run: (world, roll) => {
      const key = roll.one([...(last(world.shownKeypads)?.shadowRoot.querySelectorAll('[part~="key"]') ?? [null])]);
      const touch = { pointerId: 5, pointerType: "touch", button: 0, bubbles: true, composed: true, cancelable: true };
      key?.dispatchEvent(new PointerEvent("pointerdown", touch));
      key?.dispatchEvent(new PointerEvent(roll.one(["click", "pointercancel"]), { ...touch, detail: 1 }));
    },
  },
  {
    name: "parsePhone",
    weight: 2,
    run: (world, roll) => {
      const text = Array.from({ length: roll.below(16) }, () => roll.one([..."0123456789+ ()-٠٥۰０"])).join("");
      world.sdk.parsePhone(text, { region: roll.one(REGIONS) });
      world.sdk.formatPhoneAsYouType(text, { region: roll.one(REGIONS) });
    },
  },
];

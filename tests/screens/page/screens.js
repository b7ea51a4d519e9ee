// A page with nothing in it but what the package shows. `screens` is what the tests call.
import { PosConnect } from "./sdk.js";
import { loadSettings } from "./settings.js";

const { options } = await loadSettings();
const pos = await PosConnect.create({ ...options, persistTokens: async () => {} });

// What `onSend` does.
const GATEWAYS = {
  accepts: async () => {},
  hangs: () => new Promise(() => {}),
  none: undefined,
  refuses: async () => {
    throw new Error("refused");
  },
};

// What shows for a while can be looked at without haste: nothing that takes so long comes to its end.
const LONG_MS = 10_000;
// A connect page that is silent for so long is slow.
const SLOW_MS = 8000;
const { setTimeout: later, setInterval: every } = window;
/** When a connect page is slow: "at once", "never", or as it is. */
let slow;
/** Whether what counts seconds stands still. */
let held = false;
window.setTimeout = (act, ms, ...more) => {
  if (ms >= LONG_MS || (ms === SLOW_MS && slow === "never")) return 0;
  return later(act, ms === SLOW_MS && slow === "at once" ? 0 : ms, ...more);
};
window.setInterval = (act, ms) => every(() => held || act(), ms);

let end = new AbortController();
let ended = Promise.resolve();

/** Ends what is shown, and begins anew. */
async function renew() {
  end.abort();
  await ended.catch(() => {});
  for (const left of document.body.querySelectorAll(":scope > :not(#place)")) left.remove();
  document.getElementById("place").replaceChildren();
  end = new AbortController();
  held = false;
}

/** The element, with the shop's logo in it: a square one, or one that is `"wide"`. */
function branded(place, brand) {
  const keypad = document.createElement("ereceipt-keypad");
  const [src, width, height] = brand === "wide" ? ["wide.svg", 600, 60] : ["art/mark.svg", 48, 48];
  const logo = Object.assign(new Image(width, height), { src, alt: "Demo Bakery", slot: "brand" });
  keypad.append(logo);
  place.append(keypad);
  return keypad;
}

const find = (part) => {
  const hosts = [...document.querySelectorAll("ereceipt-keypad")];
  return hosts.map(({ shadowRoot }) => shadowRoot.querySelector(`[part~="${part}"]`)).find(Boolean);
};

window.screens = {
  renew,
  /** Asks for a receipt. */
  async ask({ inline = false, brand = false, gateway = "accepts", ...more }) {
    await renew();
    const place = document.getElementById("place");
    const onSend = GATEWAYS[gateway];
    const longest = { idleSeconds: 3600, outcomeSeconds: 10 };
    const options = { orderId: "1041", region: "IL", signal: end.signal, onSend, ...longest, ...more };
    if (brand) ended = branded(place, brand).ask(options);
    else ended = pos.receiptFor({ ...options, ereceipt: true, container: inline ? place : null });
    while (!find("send")) await new Promise((resolve) => setTimeout(resolve, 10));
  },
  /** Lets the keypad's clock stand. */
  hold() {
    held = true;
  },
  /** Presses a part, as an assistive technology does. */
  press: (part) => find(part).click(),
  choose: (language) => find("languages").querySelector(`[lang=${language}]`).click(),
  type(digits) {
    const keys = [...find("keys").children];
    for (const digit of digits) keys.find((key) => key.textContent === digit).click();
  },
  /** Whether a part is shown, or what tone the keypad has. */
  shows: (part) => find(part)?.checkVisibility() === true,
  tone: () => find("keypad")?.dataset.tone,
  /** Whether the page behind the outcome is as it was: the till goes on. */
  isLight: () => getComputedStyle(find("outcome"), "::backdrop").backgroundColor === "rgba(0, 0, 0, 0)",
  /** The connect dialog. */
  async connect({ connectUrl, slow: when, ...more } = {}) {
    await renew();
    slow = when;
    const own = { ...options, connectUrl, persistTokens: async () => {} };
    const client = connectUrl ? await PosConnect.create(own) : pos;
    ended = client.connect({ signal: end.signal, doneSeconds: 10, ...more });
    ended.catch(() => {});
  },
  /** Where its page is. */
  link: () => document.querySelector(".pos-connect-link").href,
};
document.documentElement.dataset.ready = "";

// A page with nothing in it but what the package shows. `screens` is what the tests call.
import { PosConnect } from "./sdk.js";
import { loadSettings } from "./settings.js";

const { options } = await loadSettings();
const pos = await PosConnect.create({ ...options, persistTokens: async () => {} });

// What `onSend` does.
const GATEWAYS = {
  accepts: async () => {},
  hangs: () => new Promise(() => {}),
  refuses: async () => {
    throw new Error("refused");
  },
};

let end = new AbortController();
let ended = Promise.resolve();

/** Ends what is shown, and begins anew. */
async function renew() {
  end.abort();
  await ended.catch(() => {});
  for (const left of document.body.querySelectorAll(":scope > :not(#place)")) left.remove();
  document.getElementById("place").replaceChildren();
  end = new AbortController();
}

/** The element, with the shop's logo in it. */
function branded(place) {
  const keypad = document.createElement("ereceipt-keypad");
  const logo = Object.assign(new Image(48, 48), { src: "art/mark.svg", alt: "Demo Bakery", slot: "brand" });
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
    const options = { orderId: "1041", region: "IL", signal: end.signal, onSend, outcomeSeconds: 10, ...more };
    if (brand) ended = branded(place).ask(options);
    else ended = pos.receiptFor({ ...options, ereceipt: true, container: inline ? place : null });
    for (let tries = 0; !find("send"); tries++) {
      if (tries > 500) throw new Error("The keypad never came.");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  },
  /** Presses a part, as an assistive technology does. */
  press: (part) => find(part).click(),
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
  async connect(more) {
    await renew();
    ended = pos.connect({ signal: end.signal, doneSeconds: 10, ...more });
    ended.catch(() => {});
  },
  /** Where its page is. */
  link: () => document.querySelector(".pos-connect-link").href,
};
document.documentElement.dataset.ready = "";

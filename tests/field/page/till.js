// A till with a keypad and a second window, for the driver to work.
import { PosConnect } from "./node_modules/pos-connect/index.js";

const options = { baseUrl: location.origin, connectUrl: `${location.origin}/connect.html`, clientId: "till" };
const create = () => PosConnect.create({ ...options, ereceipt: true, onConnectionEnded: () => {} });
let pos;
const results = [];

/** Where the keypad stands now. */
let place = document;
const root = () => place.querySelector("ereceipt-keypad")?.shadowRoot;
const part = (name) => root()?.querySelector(`[part~="${name}"]`);

function ask(container) {
  const asked = pos.receiptFor({ orderId: "1", region: "IL", locale: "en", container });
  asked.then((result) => results.push(result));
}

globalThis.till = {
  results,
  /** In a dialog of this page. */
  ask: () => ask(),
  /** A whole sale. */
  sell() {
    const [time, lines] = [new Date(), [{ name: "Bread", quantity: 1, amount: 100 }]];
    const order = { externalId: crypto.randomUUID(), time, currency: "ILS", total: 100, lines };
    const sold = pos.charge(order, { region: "IL", locale: "en", print: () => results.push("printed") });
    sold.then((result) => results.push(result));
  },
  connect: () => void pos.connect().catch(({ code }) => results.push(code)),
  /** In a window that opens now. */
  async askInWindow() {
    const display = open("display.html", "display", "width=600,height=800");
    await new Promise((resolve) => display.addEventListener("load", resolve, { once: true }));
    place = display.document;
    ask(place.querySelector("main"));
  },
  shows: () => (part("display") ? part("display").textContent.trim() : null),
  /** The key of a digit, or a part, for the driver. */
  find: (name) => [...root().querySelectorAll("[part~=key]")].find((key) => key.textContent === name) ?? part(name),
  /** What a page goes on doing. */
  note: (textContent) => document.body.append(Object.assign(document.createElement("p"), { textContent })),
  /** As if we had set no marks for recorders on what is made from now on. */
  unmark() {
    const { setAttribute } = Element.prototype;
    const marks = ["class", "data-dd-privacy", "data-hj-suppress", "data-clarity-mask"];
    Element.prototype.setAttribute = function (name, value) {
      if (!marks.includes(name)) setAttribute.call(this, name, value);
    };
  },
};
const begin = () => create().then((made) => (pos = made));
(globalThis.inAngular?.(begin) ?? begin()).then(() => (document.body.dataset.ready = ""));

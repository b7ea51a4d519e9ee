// A till whose button charges and asks for a number. The driver's keyboard works it.
import { keypad, load, part, till } from "./till.js";

const counter = { charges: 0, sends: 0, heard: [], results: [], errors: [], presses: [], atEnd: null };
// Before the package can keep it: when the driver really pressed.
addEventListener(
  "keydown",
  ({ key }) => (key === "Enter" || key === " ") && counter.presses.push(performance.now()),
  true,
);
globalThis.counter = counter;
addEventListener("error", (event) => counter.errors.push(event.message));
addEventListener("unhandledrejection", (event) => counter.errors.push(String(event.reason)));

const given = new URLSearchParams(location.search);
const sdk = await load();
await sdk.defineKeypad();
const pos = await sdk.PosConnect.create({ ...till().options, ereceipt: true });

// What a till listens to for its shortcuts, and a session recorder for everything.
for (const type of ["keydown", "keyup", "keypress"]) {
  document.addEventListener(type, ({ key }) => counter.heard.push(`${type} ${key}`));
}

/** A keypad of the till's own. */
function standing() {
  const element = keypad() ?? document.createElement("ereceipt-keypad");
  if (!element.isConnected) document.body.append(element);
  return element;
}

const button = document.querySelector("#charge");
button.onclick = async () => {
  counter.charges += 1;
  const prefill = given.get("prefill") ?? undefined;
  const onSend = given.has("sends") ? () => void (counter.sends += 1) : undefined;
  const container = given.has("inline") ? document.querySelector("#keypad") : undefined;
  const order = { orderId: "7", region: "IL", prefill, onSend };
  const ask = () => (given.has("element") ? standing() : null)?.ask(order);
  const result = await (ask() ?? pos.receiptFor({ ...order, container }));
  // At once: a busy driver may look later than the key is up.
  counter.atEnd = { focused: counter.focused(), isRepeatHeard: counter.repeat("Enter") };
  counter.results.push(result);
};

counter.focused = () =>
  part("send") ? (part("send").matches(":focus") ? "send" : "keypad") : document.activeElement?.id || "page";
counter.focusSend = () => part("send").focus();
counter.display = () => part("display")?.textContent ?? null;
/** Whether a key that repeats, because it is held, reaches the page. */
counter.repeat = (key) => {
  const event = new KeyboardEvent("keydown", { key, repeat: true, bubbles: true, cancelable: true, composed: true });
  return button.dispatchEvent(event);
};
/** What a keyboard adds while a key is held, where the focus is. */
counter.held = (key) => {
  const more = { key, repeat: true, bubbles: true, cancelable: true, composed: true };
  return (part("display") ?? document.body).dispatchEvent(new KeyboardEvent("keydown", more));
};
/** The longest pause between the last so many presses of Enter or Space, in milliseconds. */
counter.pause = (presses) =>
  Math.max(...counter.presses.slice(-presses).map((at, index, all) => (index > 0 ? at - all[index - 1] : 0)));
button.focus();
document.body.dataset.result = "{}";

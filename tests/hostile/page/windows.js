// Frame and keypad in another document than the page's: it is one, too; the keys that end it there are its own, and so
// is the focus.
import { time } from "./clock.js";
import { keyEvent } from "./hands.js";
import * as tools from "./tools.js";

const { equal, eventually, frames, load, resolves, sleep, till } = tools;

const enter = (type, more) => keyEvent(type, "Enter", { composed: false, ...more });

/** A button of the till in `at`, a keypad in `inside`; the number is typed, and Enter sends it and stays down. */
async function answered(at, inside) {
  const { PosConnect } = await load();
  const pos = await PosConnect.create({ ...till().options, ereceipt: true });
  const button = at.createElement("button");
  const container = inside.createElement("div");
  at.body.append(button);
  inside.body.append(container);
  button.focus();
  equal(at.activeElement, button, "the button has the focus");
  const asked = pos.receiptFor({ orderId: "1", region: "IL", container });
  const display = () => container.querySelector("ereceipt-keypad")?.shadowRoot.querySelector('[part~="display"]');
  await eventually(display);
  await sleep(600); // The first keys' guard.
  for (const digit of tools.NUMBER) {
    tools.press(digit, display());
    await sleep(60); // A scanner is faster than that.
  }
  await sleep(60); // A breath, or the Enter would be a scanner's.
  display().dispatchEvent(enter("keydown", { composed: true }));
  equal((await resolves(asked)).kind, "ereceipt");
  return button;
}

async function guarded(at, inside) {
  const button = await answered(at, inside);
  equal(at.activeElement === button, false, "the key is still down");
  equal(button.dispatchEvent(enter("keydown", { repeat: true })), false, "a held key is kept from the button");
  equal(inside.body.dispatchEvent(enter("keyup")), false, "it comes up where the keypad was");
  await eventually(() => at.activeElement === button);
  equal(button.dispatchEvent(enter("keydown")), false, "so is a second one");
  equal(button.dispatchEvent(enter("keyup")), false);
  await sleep(600);
  equal(button.dispatchEvent(enter("keydown")), true, "then the button is the till's again");
}

function framed() {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  // Keys are stamped by the page's clock: by the frame's own, they would be seconds old on a busy machine.
  frame.contentWindow.performance.now = time;
  return frame.contentDocument;
}

export async function a_second_enter_charges_nothing_where_the_till_is_in_a_frame() {
  const inside = framed();
  await guarded(inside, inside);
}

export async function a_second_enter_charges_nothing_where_only_the_keypad_is_in_a_frame() {
  await guarded(document, framed());
}

export async function a_frame_in_another_document_is_shown_there() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create(options);
  const other = document.createElement("iframe");
  document.body.append(other);
  const container = other.contentDocument.body;
  const flow = pos.connect({ container });
  const frame = () => container.querySelector("iframe.pos-connect-frame");
  await eventually(() => frame()?.src.includes("integration_token"));
  equal(frame().ownerDocument, other.contentDocument);
  equal(frames().length, 0, "and nowhere else");
  service.decide("finished");
  equal((await resolves(flow)).accessToken.length > 0, true);
  equal(frame(), null);
}

export async function a_keypad_in_another_document_is_styled() {
  const { PosConnect } = await load();
  const pos = await PosConnect.create({ ...till().options, ereceipt: true });
  const other = document.createElement("iframe");
  document.body.append(other);
  await keypadIn(pos, other);
  // A customer's display that was loaded again is the same window, with another document.
  other.srcdoc = "<p>";
  await new Promise((resolve) => other.addEventListener("load", resolve, { once: true }));
  await keypadIn(pos, other);
}

async function keypadIn(pos, other) {
  const container = other.contentDocument.body;
  const asked = pos.receiptFor({ orderId: "1", region: "IL", container });
  await eventually(() => container.querySelector("ereceipt-keypad")?.shadowRoot.querySelector('[part~="key"]'));
  const element = container.querySelector("ereceipt-keypad");
  equal(element.shadowRoot.adoptedStyleSheets.length, 1);
  const key = element.shadowRoot.querySelector('[part~="key"]');
  equal(
    other.contentWindow.getComputedStyle(key).minHeight !== "0px" && key.getBoundingClientRect().height >= 48,
    true,
    "a key has its size",
  );
  element.shadowRoot.querySelector('[part~="print"]').click();
  equal((await resolves(asked)).reason, "chosen");
}

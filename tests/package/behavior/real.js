// The real client in a page, whose shopper does what the script of a case says.
import { PosConnect } from "pos-connect";
import { fakeService } from "pos-connect/testing";
import { realClient, sleep, until } from "./client.js";
import { CASES, results } from "./suite.js";

/** The parts of the keypad that asks. */
const parts = (name) => document.querySelector("ereceipt-keypad")?.shadowRoot?.querySelector(`[part~=${name}]`);

/** At a hand's pace. */
async function shopper(outcome) {
  const button = { chosen: "print", none: "none", qr: "scan" }[outcome] ?? "send";
  await until(() => parts(button) && !parts(button).hidden);
  await sleep(500);
  if (button === "send") {
    for (const key of outcome.replace("+972", "0")) {
      for (const type of ["keydown", "keyup"])
        parts("display").dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, composed: true }));
      await sleep(60);
    }
    await sleep(200);
  }
  parts(button).click();
  if (button === "scan") {
    await sleep(500);
    parts("done").click();
  }
}

/** A call that may ask, and the shopper who answers. */
function asking(call, outcome) {
  let isOver = false;
  const over = () => (isOver = true);
  call.then(over, over);
  until(() => isOver || parts("print"))
    .then(() => isOver || outcome)
    .then((chosen) => isOver || shopper(chosen));
  return call;
}

/** The merchant closes the dialog: the service hears nothing of it. */
async function closeFrame() {
  const close = () => document.querySelector(".pos-connect-close");
  await until(close);
  close().click();
}

async function host(script, callbacks) {
  const isClosed = script.connect === "closed";
  const heard = isClosed ? { ...script, connect: "pending" } : script;
  const client = await realClient({ PosConnect, fakeService }, heard, callbacks);
  if (isClosed) closeFrame();
  const { pos } = client;
  for (const name of ["receiptFor", "charge"]) {
    const call = pos[name].bind(pos);
    pos[name] = (...given) => asking(call(...given), script.receipts ?? "chosen");
  }
  return { ...client, until };
}

document.body.dataset.result = JSON.stringify(await results(CASES, host));

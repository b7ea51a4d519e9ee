// The receipt step (§2.3): asks with every order whether the receipt may come as a text message.
import { account } from "./connection.js";
import { simulateKiosk } from "./kiosk.js";
import { choice } from "./receipt-choice.js";
import { PosConnect } from "./sdk.js";
import { loadSettings } from "./settings.js";
import { Steps } from "./steps.js";

const steps = new Steps();
const byId = (id) => document.getElementById(id);

// One for the life of the page, apart from the flow's own. It sends nothing; an error here prints, and the next order
// tries again.
let opening;
function open() {
  opening ??= loadSettings()
    .then(({ options }) =>
      PosConnect.create({
        ...options,
        ereceipt: () => choice.ereceipt === "on" || (choice.ereceipt === "account" && account.offersEreceipts),
      }),
    )
    .catch((error) => {
      opening = undefined;
      throw error;
    });
  return opening;
}

/** Gives the result of `receiptFor`; `print` says whether the paper is wanted. */
export async function askForReceipt(order) {
  const pos = await open();
  const place = placeFor(choice.layout);
  const stopKiosk = simulateKiosk(choice);
  steps.call("pos.receiptFor({ orderId })", `Order ${order.number}.`);
  document.body.dataset.receipt = choice.layout;
  try {
    const result = await pos.receiptFor({
      orderId: order.id,
      region: choice.region,
      locale: choice.locale,
      container: place,
      idleSeconds: 60,
      allowNone: choice.allowNone,
      onSend: (receipt, { signal }) => sendText(signal),
    });
    told(result);
    return result;
  } finally {
    stopKiosk();
    delete document.body.dataset.receipt;
  }
}

const placeFor = (layout) =>
  ({ dialog: null, inline: byId("receipt-place"), customer: byId("customer-keypad") })[layout];

/**
 * Stands for your own back end, which hands the receipt to a gateway for text messages. The print is cancelled once
 * this resolves.
 */
async function sendText(signal) {
  await wait(choice.gateway === "hangs" ? 60_000 : 600, signal);
  if (choice.gateway === "refuses") throw new Error("The gateway refused the message.");
}

function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

function told(result) {
  if (result.kind === "ereceipt")
    steps.done(
      "E-receipt: print cancelled.",
      `To •••• ${result.phone.slice(-4)} (${result.region}), consent ${result.consent.id}.`,
    );
  else if (result.kind === "none") steps.note("No receipt.", `Reason: ${result.reason}.`);
  else steps.note("Receipt printed.", `Reason: ${result.reason}.`);
}

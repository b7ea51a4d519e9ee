// The card that shows what waits to be sent, and the switch that cuts the network.
import { client, onOutbox } from "./client.js";
import { formatMoney } from "./money.js";
import { cutNetwork } from "./outage.js";

const byId = (id) => document.getElementById(id);
const PATIENCE = 1000; // ms: what is sent sooner has not waited
let accepted = 0;
let soon = null;

onOutbox(({ state }) => {
  if (state === "accepted") accepted += 1;
  if (state === "queued") soon ??= setTimeout(show, PATIENCE);
  else void show();
});
byId("cut-network").addEventListener("change", ({ target }) => {
  cutNetwork(target.checked);
  void show();
});

/** Draws what the outbox holds now. */
async function show() {
  clearTimeout(soon);
  soon = null;
  let waiting;
  try {
    waiting = await (await client()).outbox();
  } catch (error) {
    console.error(error);
    return;
  }
  const refused = waiting.filter(({ state }) => state === "refused").length;
  const parts = [`${accepted} accepted`, `${waiting.length - refused} waiting`, refused && `${refused} refused`];
  byId("outbox-summary").textContent = parts.filter(Boolean).join(" · ");
  byId("outbox").replaceChildren(...waiting.slice(0, 20).map(rowOf));
}

function rowOf({ id, state, externalId, order, error }) {
  const row = byId("outbox-template").content.firstElementChild.cloneNode(true);
  row.dataset.state = state;
  row.querySelector(".name").textContent = order ? formatMoney(order.total) : externalId;
  row.querySelector("code").textContent = error?.pointer
    ? `${error.code} ${error.pointer}`
    : (error?.code ?? "waiting");
  const [retry, discard] = row.querySelectorAll("button");
  retry.textContent = state === "refused" ? "Retry" : "Send now";
  retry.addEventListener("click", async () => (await client()).retryOrder(id));
  discard.addEventListener("click", async () => (await client()).discardOrder(id));
  return row;
}

await show();

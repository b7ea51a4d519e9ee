// What waits to be sent: the header's button, the dialog behind it, the panel's count, and the switch that cuts the
// network.
import { client, onOutbox } from "./client.js";
import { note, orderOf } from "./journal.js";
import { formatMoney } from "./money.js";
import { cutNetwork, isOffline } from "./outage.js";
import { ask, confirm } from "./question.js";
import { Steps } from "./steps.js";

const byId = (id) => document.getElementById(id);
const time = new Intl.DateTimeFormat("en-US", { timeStyle: "short" });
const PATIENCE = 1000; // ms: what is sent sooner has not waited
const NEWS = 4000; // ms: so long the header says that everything is sent
const MOST_ROWS = 50;
const UNCONNECTED = ["not_connected", "connection_ended", "access_token_failed"];
const steps = new Steps();
let accepted = 0;
let soon = null;
let waiting = []; // As the outbox lists them.
let list = null; // The dialog's, while it is open.

onOutbox(({ state, externalId, ereceipt }) => {
  tellEnd(externalId, state);
  const service = state === "postponed" ? "queued" : state;
  note(externalId, { service, isTexted: ["queued", "sent"].includes(ereceipt) });
  if (state === "accepted") accepted += 1;
  if (state === "queued") soon ??= setTimeout(look, PATIENCE);
  else void look();
});
byId("cut-network").addEventListener("change", ({ target }) => cutNetwork(target.checked));
for (const type of ["online", "offline"]) addEventListener(type, look);
byId("waiting").inert = "kiosk" in document.documentElement.dataset; // Who pays discards no orders of others.
byId("waiting").addEventListener("click", async () => {
  await ask("orders-template", (dialog) => {
    list = dialog.querySelector("ul");
    showList();
  });
  list = null;
});

/** Lists what became of an order that the list has as queued. */
function tellEnd(id, state) {
  const order = orderOf(id);
  if (!order?.waits || !["accepted", "refused", "discarded"].includes(state)) return;
  note(id, { waits: false });
  steps.note(`Order ${order.number} ${state}.`, "It had waited.");
}

/** Asks the outbox what it holds now, and shows it. */
async function look() {
  clearTimeout(soon);
  soon = null;
  const had = waiting.length;
  try {
    waiting = await (await client()).orders.list();
  } catch (error) {
    console.error(error);
    return;
  }
  const refused = waiting.filter(({ state }) => state === "refused").length;
  const counts = [`${accepted} accepted`, `${waiting.length - refused} waiting`, refused && `${refused} refused`];
  byId("outbox-summary").textContent = counts.filter(Boolean).join(" · ");
  showButton(waiting.length - refused, refused, had);
  if (list) showList();
}

function showButton(queued, refused, had) {
  const isCutOff = isOffline() || waiting.some(({ error }) => error?.code === "network");
  const parts = [isCutOff && "Offline", queued && `${queued} waiting`, refused && `${refused} refused`];
  const text = parts.filter(Boolean).join(" · ");
  const button = byId("waiting");
  if (!text && had) return showNews(button);
  button.hidden = !text;
  button.dataset.state = refused ? "refused" : "waiting";
  if (button.textContent !== text) byId("announcer").textContent = button.textContent = text;
}

/** Nothing waits any more, and for a moment the header says so. */
function showNews(button) {
  byId("announcer").textContent = button.textContent = "All orders sent";
  button.dataset.state = "sent";
  setTimeout(() => {
    if (waiting.length === 0) button.hidden = true;
  }, NEWS);
}

function showList() {
  list.replaceChildren(...waiting.slice(0, MOST_ROWS).map(rowOf));
  list.previousElementSibling.textContent = waiting.length
    ? "The till keeps them, also when it is switched off."
    : `Nothing waits.${isOffline() ? " The till goes on selling, and sends orders when there is a connection." : ""}`;
}

function rowOf({ id, state, externalId, queuedAt, order, error }) {
  const row = byId("outbox-template").content.firstElementChild.cloneNode(true);
  const title = `Order ${order?.displayNumber ?? externalId}`;
  row.dataset.state = state;
  row.querySelector(".name").textContent = title;
  row.querySelector(".each").textContent = queuedAt ? time.format(queuedAt) : "";
  row.querySelector(".amount").textContent = order ? formatMoney(order.total) : "";
  row.querySelector(".why").textContent = whyOf(state, error);
  const [retry, discard] = row.querySelectorAll("button");
  retry.textContent = state === "refused" ? "Try again" : "Send now";
  retry.ariaLabel = `${retry.textContent}: ${title}`;
  retry.addEventListener("click", async () => (await client()).orders.retry(id));
  discard.ariaLabel = `Discard ${title}`;
  discard.addEventListener("click", async () => {
    const isMeant = await confirm({
      title: `Discard ${title.toLowerCase()}?`,
      text: "The service will never have it, and a text message that belongs to it is not sent.",
      keep: "Keep it",
      confirm: "Discard",
    });
    if (isMeant) (await client()).orders.discard(id);
  });
  return row;
}

function whyOf(state, error) {
  const { code, pointer = "" } = error ?? {};
  const fault = `${code} ${pointer}`.trim();
  if (state === "refused") return `The service did not take it. Try again, or give support this: ${fault}`;
  if (!code) return "It is being sent.";
  if (code === "network") return "No connection. It is sent as soon as there is one.";
  if (UNCONNECTED.includes(code)) return "No account is connected. It goes to the one that is connected next.";
  return `Not sent yet: ${code}. The till goes on trying.`;
}

await look();

// One tab of a till: sends its orders, as a host would. The last one only waits until nothing is left.
import { PosConnect, PosConnectError } from "/pkg/index.js";
import { freezer, gone, misread } from "./faults.js";
import { sleep, watchWrites } from "./runs.js";
import { salesLeft } from "./vault.js";

// Far more than a busy machine needs: what hangs, hangs for ever.
const PENDING = 300_000;
const CONSENT = { id: "ereceipt-1", locale: "en" };
const PHONE = "+972502345678";
const NATIONAL = "0502345678";
const tab = frameElement.tab;
const { run, plan, job } = tab;
const note = (what, more) => run.note(tab, what, more);
const step = (at) => ["removed", "frozen"].forEach((what) => run.step(`tab ${what}: ${at}`, tab));
const frozen = freezer(tab);
const storage = { [misread.kind]: misread, [gone.kind]: gone }[plan.storage]?.(tab);

watch();
play()
  .catch((error) => failed("page", error))
  .finally(() => tab.finish());

// The steps at which this tab may be removed, and what of its orders is on the disk.
function watch() {
  const { fetch } = window;
  window.fetch = (what, init) => {
    const url = new URL(what.url ?? what, location);
    const method = init?.method ?? what.method;
    const answer = fetch(what, init);
    if (method === "POST" && url.pathname.endsWith("/v1/orders")) {
      run.sender = tab;
      step("as it sent");
    }
    return frozen(answer);
  };
  const orderIn = (text) => {
    const [id] = text.match(/run-\d+-\d+-\d+/) ?? [];
    return id && { id };
  };
  watchWrites(tab, orderIn, (row, order) => {
    if (order) storage?.wrote(row.id, order.id);
    step("as it wrote");
  });
}

async function play() {
  const pos = await PosConnect.create(options());
  const sent = [];
  for (const order of job.orders) {
    await sleep(order.after);
    sent.push(send(pos, order));
  }
  await Promise.all(sent);
  if (job.isLast) await emptied(pos);
}

function options() {
  const { baseUrl, connectUrl, clientId, clientSecret, accessToken } = plan;
  const keys = { clientSecret, trustedPage: true, accessToken: async () => accessToken };
  return { baseUrl, connectUrl, clientId, ...keys, onInterrupted: print };
}

/** Lines of 870 bytes each. */
const filling = (kib) =>
  Array.from({ length: Math.floor((kib * 1024) / 870) }, () => ({
    ...{ name: "\u{1f35e}".repeat(200), quantity: 1 },
    ...{ unitPrice: 1_000_000_000_000, amount: 1_000_000_000_000 },
  }));

function print({ externalId, reason }) {
  note("printed", { id: externalId, reason });
}

async function send(pos, { id, total, hasReceipt, kib, shopper }) {
  const lines = [{ name: id, quantity: 1, amount: total }, ...filling(kib)];
  const order = { externalId: id, time: new Date(), currency: "ILS", total, lines };
  const isCharged = shopper !== null;
  if (hasReceipt && !isCharged) order.ereceipt = { phone: PHONE, consent: CONSENT };
  note("made", { id, total, hasReceipt: isCharged ? undefined : hasReceipt });
  const late = sleep(PENDING);
  const begun = performance.now();
  const operation = isCharged ? "charge" : "orders.send";
  try {
    const asking = { region: "IL", ereceipt: true, outcomeSeconds: 0, context: id, print };
    const call = isCharged ? pos.charge(order, asking) : pos.orders.send(order);
    if (isCharged) answers(id, shopper, call);
    const result = await Promise.race([call, late]);
    if (!result) return note("pending", { id });
    note(result.state, { id, print: result.print });
    step("as its call resolved");
  } catch (error) {
    failed(operation, error, id, Math.round(performance.now() - begun));
  }
}

/** The shopper of an order takes a while, types a number or not, and presses, as an assistive technology does. */
async function answers(id, { pause, button }, call) {
  let isOver = false;
  const end = () => (isOver = true);
  call.then(end, end);
  const parts = [];
  while (!isOver && !parts.length) {
    await sleep(20);
    const [keypad] = document.querySelectorAll("ereceipt-keypad");
    const part = (name) => [...(keypad?.shadowRoot?.querySelectorAll(`[part~="${name}"]`) ?? [])];
    if (part("context")[0]?.textContent === id) parts.push(part("key"), part(button));
  }
  if (!parts.length) return;
  if (!storage?.hasFailed(id)) note("asked", { id });
  step("as it asked");
  await sleep(pause);
  const [keys, [press]] = parts;
  if (button === "send") for (const digit of NATIONAL) keys.find(({ textContent }) => textContent === digit).click();
  press.click();
}

async function emptied(pos) {
  // Looked for before the orders: one that a tab has left is among those as soon as this page has printed it.
  let hasSales = true;
  for (const end = performance.now() + PENDING; ; await sleep(200)) {
    const orders = await pos.orders.list().catch((error) => {
      // On a busy machine even the browser's storage can take too long.
      if (!error?.retryable) throw error;
    });
    if (!orders && performance.now() < end) continue;
    if (!orders) return;
    for (const { id } of orders) {
      const lost = storage?.lost(id);
      if (lost && (await pos.orders.discard(id))) note("gone", { id: lost });
    }
    const refused = orders.filter(({ id, state }) => state === "refused" && !storage?.lost(id));
    for (const { externalId, error } of refused) failed("outbox", error, externalId);
    const isEmpty = orders.every((order) => refused.includes(order) || storage?.lost(order.id));
    if (isEmpty && !hasSales) return note("empty");
    hasSales = (await salesLeft(plan.baseUrl)) > 0;
    if (performance.now() < end) continue;
    for (const { externalId } of orders) note("waits", { id: externalId });
    return;
  }
}

function failed(operation, error, id, took = 0) {
  const known = error instanceof PosConnectError;
  // The text of a foreign error helps, and it comes from this page's own code.
  const code = known ? error.code : String(error).slice(0, 200);
  const meant = Boolean(storage?.hasFailed(id));
  note("failed", { operation, known, code, id, took, meant, retryable: Boolean(error?.retryable) });
}

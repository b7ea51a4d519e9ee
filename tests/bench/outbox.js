// A till whose network is cut and comes back. The bench drives it.
import { init, PosConnect } from "/pos-connect/index.js";

const { fetch } = window;
const offline = { configurable: true, get: () => false };

const order = (number) => ({
  externalId: `order-${number}`,
  time: new Date(),
  currency: "USD",
  total: 2_383,
  tax: 183,
  lines: [
    { name: "Sourdough loaf", quantity: 2, unitPrice: 750, amount: 1_500 },
    { name: "Espresso", quantity: 1, unitPrice: 295, amount: 295 },
    { name: "Butter croissant", quantity: 1, unitPrice: 405, amount: 405 },
  ],
});

let pos;

window.cut = async (baseUrl) => {
  window.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  Object.defineProperty(navigator, "onLine", offline);
  const headers = { authorization: "Bearer till" };
  pos = await PosConnect.create({ baseUrl, connectUrl: baseUrl, clientId: "bench", headers, ereceipt: false });
};

/** How long each of these orders took to be kept, in ms. */
window.keep = async (first, count) => {
  const times = [];
  for (let number = first; number < first + count; number += 1) {
    const begun = performance.now();
    const { state } = await pos.orders.send(order(number));
    times.push(performance.now() - begun);
    if (state !== "queued") throw new Error(state);
  }
  return times;
};

/** The same bytes in a store of the page's own, as durable, neither sealed nor counted. */
window.bare = async (count) => {
  const opening = indexedDB.open("bare", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("rows");
  const database = await new Promise((resolve) => {
    opening.onsuccess = () => resolve(opening.result);
  });
  const text = JSON.stringify(order(1));
  const times = [];
  for (let number = 0; number < count; number += 1) {
    const begun = performance.now();
    const transaction = database.transaction("rows", "readwrite", { durability: "strict" });
    transaction.objectStore("rows").put(text, crypto.randomUUID());
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onerror = reject;
    });
    times.push(performance.now() - begun);
  }
  database.close();
  return times;
};

/** The network is back: how long until nothing waits, in ms. */
window.drain = async () => {
  const begun = performance.now();
  window.fetch = fetch;
  delete navigator.onLine;
  dispatchEvent(new Event("online"));
  while ((await (await fetch("/left")).json()) > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  const took = performance.now() - begun;
  if ((await pos.orders.list()).length > 0) throw new Error("Something is left.");
  pos.destroy();
  return took;
};
await init();
window.ready = true;

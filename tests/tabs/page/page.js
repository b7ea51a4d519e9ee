// The page that the tests drive: one PosConnect, one integration, and calls that can be begun now and asked after
// later.
import { PosConnect } from "/pkg/index.js";

const calls = new Map();
const handed = [];
const printed = [];
const interrupted = [];
const written = [];
let pos;
let integration;

// What a host may do with a token set.
const PERSIST = {
  keep: async (tokens) => {
    handed.push(plain(tokens));
  },
  hang: (tokens) => {
    handed.push(plain(tokens));
    return new Promise(() => {});
  },
};

const actions = {
  async open({ persist, accessToken, ...options }) {
    // An earlier one would send the orders of the next one, too, without its token.
    pos?.destroy();
    pos = await PosConnect.create({
      ...options,
      ...(persist ? { persistTokens: PERSIST[persist] } : {}),
      ...(accessToken ? { accessToken: async () => accessToken } : {}),
      onInterrupted: ({ externalId, reason }) => void interrupted.push([externalId, reason]),
    });
  },
  create: async () => named(await pos.createIntegration()),
  resume: async () => named(await pos.resume()),
  status: () => integration.status(),
  fetchTokens: async () => plain(await integration.fetchTokens()),
  resumeAndFetch: async () => (await actions.resume()) && actions.fetchTokens(),
  acknowledgeTokens: () => integration.acknowledgeTokens(),
  /** Whether something is left to resume; keeps the integration that this page has. */
  unfinished: async () => (await pos.resume()) !== null,
  /** The connection record, with nothing in it that differs from run to run. */
  async connection() {
    const found = await pos.connection();
    return (
      found && {
        ereceipt: found.ereceipt,
        account: typeof found.account?.name,
        expires: found.expiration instanceof Date,
        members: Object.keys(found).sort(),
      }
    );
  },
  forget: () => pos.forget(),
  /** An order whose shopper wants an e-receipt. */
  async sell(externalId, phone) {
    const at = new Date().toISOString();
    const lines = [{ name: "Bread", quantity: 1, amount: 1 }];
    const order = { externalId, time: at, currency: "ILS", total: 1, lines };
    const consent = { id: "ereceipt-1", locale: "en", text: "Yes", at };
    const receipt = { kind: "ereceipt", print: false, orderId: externalId, phone, consent };
    const { state, print } = await pos.orders.send(order, { receipt });
    return { state, print };
  },
  /** Sells to shoppers at once, and resolves when all of them can go. */
  sellAll: (sales) => Promise.all(sales.map(([externalId, phone]) => actions.sell(externalId, phone))),
  /** From now on, what is sealed with the storage's key is noted. */
  async watchWrites() {
    const { encrypt } = SubtleCrypto.prototype;
    SubtleCrypto.prototype.encrypt = function (algorithm, key, data) {
      if (key.algorithm.length === 256) written.push(new TextDecoder().decode(data));
      return encrypt.call(this, algorithm, key, data);
    };
  },
  written: async () => written,
  /** Opens all that the package keeps, without the package: as a thief who has the profile. */
  async openVault() {
    const opening = indexedDB.open("pos-connect");
    await settled(opening);
    const stores = opening.result.transaction(["keys", "entries"]);
    const key = await settled(stores.objectStore("keys").get("key"));
    const rows = await settled(stores.objectStore("entries").getAll());
    opening.result.close();
    const open = ({ id, iv, sealed }) =>
      crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) }, key, sealed);
    const opened = await Promise.all(rows.map(open));
    return opened.map((text) => new TextDecoder().decode(text));
  },
  /** A sale whose shopper is asked, and does not answer. */
  async charge(externalId) {
    const lines = [{ name: "Bread", quantity: 1, amount: 1 }];
    const order = { externalId, time: new Date(), currency: "ILS", total: 1, lines };
    const print = ({ reason }) => void printed.push(reason);
    const { state } = await pos.charge(order, { region: "IL", ereceipt: true, print });
    return { state };
  },
  isAsked: async () => document.querySelector("ereceipt-keypad") !== null,
  printed: async () => printed,
  interrupted: async () => interrupted,
  /** An order of so many lines, of 240 bytes each. */
  async sellLines(externalId, count) {
    const lines = Array.from({ length: count }, (_, at) => ({
      name: `${at} `.padEnd(200, "x"),
      quantity: 1,
      amount: 1,
    }));
    const order = { externalId, time: new Date().toISOString(), currency: "ILS", total: count, lines };
    return (await pos.orders.send(order)).state;
  },
  /** What is listed without its content. */
  async unreadable() {
    const lost = (await pos.orders.list()).filter(({ order }) => order === null);
    return lost.map(({ id, state, order, error }) => ({ id, state, order, code: error?.code }));
  },
  retryOrder: (id) => pos.orders.retry(id),
  discardOrder: (id) => pos.orders.discard(id),
  async outbox() {
    const kept = await pos.orders.list();
    return kept.map(({ externalId, state, hasEreceipt }) => ({ externalId, state, hasEreceipt }));
  },
  order: (externalId) => pos.orders.get(externalId),
  handed: async () => handed,
  locks: async () => {
    const { held, pending } = await navigator.locks.query();
    const ours = (locks) => locks.filter(({ name }) => name.startsWith("pos-connect pick-up")).length;
    return { held: ours(held), pending: ours(pending) };
  },
  /** Where a page can keep something, with what is there. */
  async storage() {
    return {
      local: Object.entries(localStorage),
      session: Object.entries(sessionStorage),
      cookies: document.cookie,
      caches: await caches.keys(),
      databases: (await indexedDB.databases()).map(({ name }) => name),
    };
  },
  /** What the vault must not do: the same shape of entry in the same kind of store, in plain text. */
  storePlain: (text) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open("plain", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("entries", { keyPath: "id" });
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const writing = opening.result.transaction("entries", "readwrite", { durability: "strict" });
        writing.objectStore("entries").put({ id: crypto.randomUUID(), sealed: JSON.stringify({ body: text }) });
        writing.onerror = () => reject(writing.error);
        writing.oncomplete = () => {
          opening.result.close();
          resolve();
        };
      };
    }),
  storeLocal: async (text) => localStorage.setItem("plain", text),
};

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function named(found) {
  integration = found ?? undefined;
  return found && found.integrationToken;
}

function plain({ held, accessToken, refreshToken, ereceipt }) {
  return { held, accessToken, refreshToken, ereceipt };
}

async function run(name, args) {
  try {
    return { value: (await actions[name](...args)) ?? null };
  } catch ({ name: kind, message, code, operation, retryable }) {
    return { error: code ? { code, operation, retryable } : { code: `${kind}: ${message}` } };
  }
}

function begin(key, name, ...args) {
  calls.set(key, run(name, args));
}

const start = new BroadcastChannel("start");
start.onmessage = ({ data }) => begin(...data);

window.rig = {
  call: (name, ...args) => run(name, args),
  begin,
  /** Waits for the call to begin, too: the word of another page may come late. */
  async end(key) {
    while (!calls.has(key)) await new Promise((resolve) => setTimeout(resolve, 10));
    return calls.get(key);
  },
  /** Begins the same call in all pages at once, in this one too. */
  everywhere(...args) {
    start.postMessage(args);
    begin(...args);
  },
};

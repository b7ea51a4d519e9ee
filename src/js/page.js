// What only JavaScript can do, or does in a third of the bytes: element class, elements, requests, vault. All of it performs; Rust decides.
//
// One file, because each would be a request of its own: wasm-bindgen's test server answers four at a time, and Chromium's others would wait for ever
// (a thread that serves an idle connection is never free again).

// Only JavaScript can extend HTMLElement, and in Node there is none: the class is made when it is first asked for. Everything it does is decided in Rust.
let Base;

function base(css, run) {
  if (Base) return Base;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return (Base = class extends HTMLElement {
    #end;
    constructor() {
      super();
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
    }
    ask(options) {
      return new Promise((resolve) => run({ element: this, options, resolve }));
    }
    disconnectedCallback() {
      // An element that is moved is back by then.
      queueMicrotask(() => this.isConnected || this.#end?.(false));
    }
    static hold(element, end, isOver) {
      const before = element.#end;
      if (isOver && before !== end) return;
      element.#end = isOver ? undefined : end;
      if (!isOver) before?.(true);
    }
  });
}

/** The class of that name; throws if the name is someone else's. */
export function define(name, css, run) {
  const Class = customElements.get(name) ?? class extends base(css, run) {};
  if (!(Class.prototype instanceof base(css, run))) throw name;
  if (!customElements.get(name)) customElements.define(name, Class);
  return Class;
}

/** An element of ours, under another name where someone else has taken this one. */
export function create(name, css, run) {
  const Class = customElements.get(name);
  return Class && !(Class.prototype instanceof base(css, run)) ? create(`${name}-`, css, run) : new (define(name, css, run))();
}

/** Until it is over, `end` is told when the element leaves the page (false) or another ask takes its place (true). */
export const hold = (element, end, isOver) => Base.hold(element, end, isOver);

// Elements are made here, where that takes a third of the bytes. Created, never parsed: Trusted Types have nothing to object to.

/**
 * Makes the elements of a table, a line each: the number of its parent, its name, and what it carries. Gives them in their order.
 */
export function build(table) {
  const made = [];
  for (const line of table.split("\n")) {
    const [parent, name, ...carried] = line.split("|");
    const element = document.createElement(name);
    // Not "submit": the container may be a form of the till's.
    if (name === "button") element.type = "button";
    for (const one of carried) {
      const [key, value] = one.split("=");
      if (key === "text") element.textContent = value;
      // Through the CSSOM, which a strict Content-Security-Policy allows where it blocks the attribute.
      else if (key === "style") element.style.cssText = value;
      else element.setAttribute(key, value);
    }
    made[parent]?.append(element);
    made.push(element);
  }
  return made;
}

// One request as DESIGN §5 wants it. What its answer means is decided in src/error.rs.

/** Rejects where there is no answer, or half of one. */
export async function exchange(method, url, headers, signal, isSecret) {
  const response = await fetch(url, {
    method,
    headers,
    signal,
    redirect: "error",
    credentials: "omit",
    // Where our own headers bring preflights, "no-store" would have Chromium send one before each status call, whatever it was told to remember.
    cache: headers?.[0] && !isSecret ? "default" : "no-store",
    referrerPolicy: "no-referrer",
  });
  // A patched `fetch` may give anything.
  if (!(response instanceof Response)) throw new TypeError();
  return {
    status: response.status,
    text: await response.text(),
    retryAfter: response.headers.get("retry-after"),
    requestId: response.headers.get("x-request-id"),
  };
}

// Keeps small objects until the page, or the next one, is done with them, and locks what two pages must not do at once. What is kept and when is decided in
// src/vault.rs and src/pickup.rs; here are only the browser's promises: in WebAssembly each of them costs three times its bytes.

// `vault: "memory"`: ids and texts, and the last holder of each lock.
const texts = /* @__PURE__ */ new Map();
const holders = /* @__PURE__ */ new Map();
// The open database and the key; forgotten when it is closed or fails, so that the next call opens it anew.
let opening;

const bytes = (text) => new TextEncoder().encode(text);

// Of a request, and of a transaction.
const done = (work) =>
  new Promise((resolve, reject) => {
    work.onsuccess = work.oncomplete = () => resolve(work.result);
    work.onerror = work.onabort = () => reject(work.error);
  });

function openDatabase(version) {
  const request = indexedDB.open("pos-connect", version);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("keys");
    request.result.createObjectStore("entries", { keyPath: "id" });
  };
  return done(request);
}

async function load() {
  const database = await openDatabase(1).catch((error) => {
    // A newer release was here: what it added does not concern us.
    if (error.name === "VersionError") return openDatabase();
    throw error;
  });
  // Another page upgrades, or the browser takes the storage away.
  database.onversionchange = database.onclose = () => {
    database.close();
    opening = undefined;
  };
  try {
    return { database, key: await keyOf(database) };
  } catch (error) {
    database.onclose();
    throw error;
  }
}

async function keyOf(database) {
  // Made before the transaction, which would end while waiting for it.
  const made = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const transaction = database.transaction("keys", "readwrite", { durability: "strict" });
  const keys = transaction.objectStore("keys");
  let key;
  keys.get("key").onsuccess = ({ target: { result } }) => {
    key = result instanceof CryptoKey ? result : made;
    if (key === made) keys.put(made, "key");
  };
  await done(transaction);
  return key;
}

const ready = () =>
  (opening ??= load().catch((error) => {
    opening = undefined;
    throw error;
  }));

// A storage that another page blocks answers when that page is gone.
const LIMIT_MS = 10_000;
// One after the other: a read sees what was written before it, though nobody waited for that.
let last;
const inTurn = (work) => (last = Promise.resolve(last).catch(() => {}).then(() => inTime(work)));

function inTime(work) {
  const turn = {};
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      // Whoever waited goes on without it: it must not happen later, over what is written then.
      turn.isOver = true;
      try {
        turn.transaction?.abort();
      } catch {
        // It is through, just now.
      }
      opening = undefined;
      reject();
    }, LIMIT_MS);
  });
  return Promise.race([work(turn), late]).finally(() => clearTimeout(timer));
}

// `prepare` is given the key of the very database that `act` writes to.
async function transact(turn, mode, act, prepare, again = true) {
  const { database, key } = await ready();
  try {
    const prepared = await prepare?.(key);
    if (turn.isOver) throw new Error("late");
    turn.transaction = database.transaction("entries", mode, { durability: "strict" });
    const request = act(turn.transaction.objectStore("entries"), prepared);
    await done(turn.transaction);
    return request.result;
  } catch (error) {
    database.onclose();
    // WebKit loses its connection to the storage while a page sleeps.
    if (again && !turn.isOver) return transact(turn, mode, act, prepare, false);
    throw error;
  }
}

const sealing = (id, iv) => ({ name: "AES-GCM", iv, additionalData: bytes(id) });

// Null: it cannot be read, because it is damaged or its key is gone.
async function unsealed({ id, iv, sealed }) {
  const { key } = await ready();
  try {
    return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt(sealing(id, iv), key, sealed)));
  } catch {
    return null;
  }
}

/** `scope` and 128 random bits, in letters that a `pickup_id` may have. */
export const fresh = (scope) => scope + crypto.getRandomValues(new Uint32Array(4)).join("-");

/** The objects whose ids begin with `scope`; each holds its own. */
export function vault(scope, isMemory) {
  const place = isMemory ? memory(scope) : indexed(scope);
  return {
    // Of one that was never kept, or was erased, `seed` is what is known; what cannot be read may have gone any way.
    async read(seed) {
      const found = await place.read(seed.id);
      return found ?? { ...seed, unanswered: found === null, isLost: true };
    },
    // Texts from here on: their maker may change them meanwhile.
    write: (value) => place.write(value.id, JSON.stringify(value)),
    // For what nobody waits for, because the page can do without.
    note: (value) => void place.write(value.id, JSON.stringify(value)).catch(() => {}),
    list: place.list,
    erase: place.erase,
    lock: place.lock,
  };
}

function memory(scope) {
  const kept = () => [...texts.keys()].filter((id) => id.startsWith(scope));
  const read = async (id) => texts.has(id) ? JSON.parse(texts.get(id)) : undefined;
  return {
    read,
    write: async (id, text) => void texts.set(id, text),
    list: () => Promise.all(kept().map(read)),
    erase: async (id) => (id === undefined ? kept() : [id]).forEach((id) => texts.delete(id)),
    async lock(name) {
      const before = holders.get(name);
      let release;
      const held = new Promise((resolve) => (release = resolve));
      holders.set(name, held);
      await before;
      return () => {
        if (holders.get(name) === held) holders.delete(name);
        release();
      };
    },
  };
}

function indexed(scope) {
  const own = () => IDBKeyRange.bound(scope, scope + "\uffff");
  const read = async (turn, id) => {
    const entry = await transact(turn, "readonly", (entries) => entries.get(id));
    return entry && unsealed(entry);
  };
  const write = (turn, id, text) => {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const seal = (key) => crypto.subtle.encrypt(sealing(id, iv), key, bytes(text));
    return transact(turn, "readwrite", (entries, sealed) => entries.put({ id, iv, sealed }), seal);
  };
  const list = async (turn) => Promise.all((await transact(turn, "readonly", (entries) => entries.getAll(own()))).map(unsealed));
  return {
    read: (id) => inTurn((turn) => read(turn, id)),
    write: (id, text) => inTurn((turn) => write(turn, id, text)),
    list: () => inTurn(list),
    erase: (id) => inTurn((turn) => transact(turn, "readwrite", (entries) => entries.delete(id ?? own()))),
    lock: (name) => new Promise((resolve, reject) => navigator.locks.request(name, () => new Promise(resolve)).catch(reject)),
  };
}

// The browser's storage as the tests look into it and break it: as any script of the page can. Each patch gives an
// object whose `restore` takes it back.

/** Sets a property of an object of the page's, and takes it back. */
export function replace(object, name, descriptor) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, ...descriptor });
  return { restore: () => (before ? Object.defineProperty(object, name, before) : delete object[name]) };
}

const NAME = "pos-connect";

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** The database is opened at whatever version is there, and closed again. */
async function inDatabase(work) {
  const database = await settled(indexedDB.open(NAME));
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

const inStore = (name, mode, work) =>
  inDatabase((database) => settled(work(database.transaction(name, mode).objectStore(name))));
const inEntries = (mode, work) => inStore("entries", mode, work);

/** The ids of what is kept for this service, the connection record's first. */
export async function entryIds(baseUrl) {
  const ids = await inEntries("readonly", (entries) => entries.getAllKeys());
  return ids.filter((id) => decodeURIComponent(id.split(" ")[0]) === baseUrl);
}

/** The sales that are kept for this service, whose shopper is being asked. */
export async function salesOf(baseUrl) {
  const rows = await inEntries("readonly", (entries) => entries.getAll());
  return rows.filter(({ id }) => {
    const [kind, base] = id.split(" ");
    return kind === "sale" && decodeURIComponent(base) === baseUrl;
  });
}

/** Flips a bit of each entry of an integration of this service. */
export async function corrupt(baseUrl) {
  const ids = await integrationIds(baseUrl);
  for (const id of ids) await damage(await inEntries("readonly", (entries) => entries.get(id)));
  return ids.length;
}

/** Takes the entries of the integrations away, as a browser does that makes room. */
export async function evict(baseUrl) {
  const ids = await integrationIds(baseUrl);
  for (const id of ids) await inEntries("readwrite", (entries) => entries.delete(id));
  return ids.length;
}

const integrationIds = async (baseUrl) => (await entryIds(baseUrl)).filter((id) => id.split(" ")[2] !== "");

export const plant = (id, text) =>
  inEntries("readwrite", (entries) =>
    entries.put({ id, iv: new Uint8Array(12), sealed: new TextEncoder().encode(text).buffer }),
  );
export const uproot = (id) => inEntries("readwrite", (entries) => entries.delete(id));

/** Everything in all stores that is text or bytes, as one text. */
export const dump = () =>
  inDatabase(async (database) => {
    const parts = [];
    for (const name of database.objectStoreNames) {
      const store = database.transaction(name).objectStore(name);
      const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
      collect(keys, parts);
      collect(values, parts);
    }
    return parts.join("\n");
  });

function collect(value, parts) {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    for (const form of ["latin1", "utf-16le"]) parts.push(new TextDecoder(form).decode(value));
  } else if (value !== null && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) (parts.push(name), collect(member, parts));
  } else {
    parts.push(String(value));
  }
}

/** What comes of exporting the key, in each form. */
export const exportedKey = () =>
  inDatabase(async (database) => {
    const key = await settled(database.transaction("keys").objectStore("keys").get("key"));
    const tries = ["raw", "jwk"].map((form) =>
      crypto.subtle.exportKey(form, key).then(
        () => "exported",
        (error) => error.name,
      ),
    );
    return [key.constructor.name, key.algorithm.name, key.algorithm.length, ...(await Promise.all(tries))].join(" ");
  });

const algorithm = ({ id, iv }) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) });

/** The rows of a service's waiting orders, as they lie in the storage. */
export async function rows(origin) {
  const all = await inEntries("readonly", (entries) => entries.getAll());
  return all.filter(({ id }) => decodeURIComponent(id).startsWith(`outbox ${origin}`));
}

/** All that such a row shows to who has not the key. */
export function shownBy(row) {
  const bytes = [new Uint8Array(row.iv), new Uint8Array(row.sealed)];
  return [row.id, Object.keys(row).join(), ...bytes.map((some) => String.fromCharCode(...some))].join("\n");
}

/** The content of a row: the page has the key, though it cannot be exported. */
export async function opened(row) {
  const key = await inStore("keys", "readonly", (keys) => keys.get("key"));
  const text = await crypto.subtle.decrypt(algorithm(row), key, row.sealed);
  return new TextDecoder().decode(text);
}

/** A row that nobody can open, at another place of the queue. */
export async function misplace(row, place) {
  const id = row.id.replace(/\d{10}\.\d{14}\.\d{8}\./, place);
  await inEntries("readwrite", (entries) => entries.put({ ...row, id }));
}

/** One bit of it is another one. */
export async function damage(row) {
  const sealed = new Uint8Array(row.sealed);
  sealed[0] ^= 1;
  await inEntries("readwrite", (entries) => entries.put({ ...row, sealed: sealed.buffer }));
}

/**
 * Refuses to write entries, from the `first` on; `how` is "throw", or "abort", as a full disk is noticed late. Counts
 * what is tried.
 */
export function refuseWrites(first, how) {
  const { put } = IDBObjectStore.prototype;
  const patch = { count: 0 };
  const value = function (...args) {
    if (this.name !== "entries") return put.apply(this, args);
    patch.count += 1;
    if (patch.count < first) return put.apply(this, args);
    if (how === "throw") throw new DOMException("full", "QuotaExceededError");
    const request = put.apply(this, args);
    this.transaction.abort();
    return request;
  };
  return Object.assign(patch, replace(IDBObjectStore.prototype, "put", { value, writable: true }));
}

/** Nothing is sealed before it is taken back. */
export function holdSeals() {
  const { promise, resolve } = Promise.withResolvers();
  const { encrypt } = SubtleCrypto.prototype;
  const value = async function (...args) {
    await promise;
    return encrypt.apply(this, args);
  };
  const patch = replace(SubtleCrypto.prototype, "encrypt", { value, writable: true });
  return { restore: () => (patch.restore(), resolve()) };
}

/** Blocked storage, as in private modes: nothing can be opened, `how`: "throw" or "error", and what is open is lost. */
export function shut(how) {
  const error = new DOMException("not here", "InvalidStateError");
  const open = () => {
    if (how === "throw") throw new DOMException("not here", "SecurityError");
    const request = { error };
    setTimeout(() => request.onerror({ target: request }));
    return request;
  };
  const transaction = () => {
    throw error;
  };
  const patches = [
    replace(IDBFactory.prototype, "open", { value: open, writable: true }),
    replace(IDBDatabase.prototype, "transaction", { value: transaction, writable: true }),
  ];
  return { restore: () => patches.forEach((patch) => patch.restore()) };
}

/**
 * Another page brings the next version. Gives its open connection, once nobody else has one; that page never closes
 * by itself.
 */
export async function upgrade() {
  const version = await inDatabase((database) => database.version + 1);
  const request = indexedDB.open(NAME, version);
  request.onupgradeneeded = () => request.result.createObjectStore(`later-${version}`);
  const blocked = new Promise((_, reject) => (request.onblocked = () => reject(new Error("blocked"))));
  const opened = await Promise.race([settled(request), blocked]);
  return { restore: () => opened.close() };
}

/**
 * Another page holds a version and hears nothing; a third one waits to upgrade it, and with it everybody who comes
 * later.
 */
export async function block() {
  const database = await settled(indexedDB.open(NAME));
  const request = indexedDB.open(NAME, database.version + 1);
  request.onsuccess = () => request.result.close();
  // By then, the SDK's own connection has made way.
  await new Promise((resolve) => (request.onblocked = resolve));
  return { restore: () => database.close() };
}

/** Closes the connection that is used for the next transaction, just before it. */
export function closeUnderneath() {
  const { transaction } = IDBDatabase.prototype;
  const patch = { count: 0 };
  const value = function (...args) {
    if (patch.count === 0) this.close();
    patch.count += 1;
    return transaction.apply(this, args);
  };
  return Object.assign(patch, replace(IDBDatabase.prototype, "transaction", { value, writable: true }));
}

/** Once, the store of the key has something else in its place: undefined, null or a text. */
export function misreadKey(value) {
  const { get } = IDBObjectStore.prototype;
  const patch = { count: 0 };
  const misread = function (...args) {
    const request = get.apply(this, args);
    if (this.name !== "keys" || patch.count > 0) return request;
    patch.count += 1;
    return Object.defineProperty(request, "result", { value });
  };
  return Object.assign(patch, replace(IDBObjectStore.prototype, "get", { value: misread, writable: true }));
}

/** The key is gone, and what it has sealed is not. */
export const loseKey = (value) =>
  inStore("keys", "readwrite", (keys) => (value === undefined ? keys.delete("key") : keys.put(value, "key")));

/** All that is sealed goes, as if no page had been here. */
export const clearEntries = () => inEntries("readwrite", (entries) => entries.clear());

/** Reads that would give this row fail, `times` times: the file that holds it is gone. */
export function loseRow(row, times = Infinity) {
  const patch = { count: 0 };
  const patches = ["get", "getAll"].map((name) => {
    const read = IDBObjectStore.prototype[name];
    const value = function (wanted, ...rest) {
      const request = read.call(this, wanted, ...rest);
      const has = wanted instanceof IDBKeyRange ? wanted.includes(row.id) : wanted === row.id;
      if (this.name !== "entries" || !has || patch.count >= times) return request;
      patch.count += 1;
      this.transaction.abort();
      return request;
    };
    return replace(IDBObjectStore.prototype, name, { value, writable: true });
  });
  return Object.assign(patch, { restore: () => patches.forEach(({ restore }) => restore()) });
}

/** Has the lock of the outbox that this row is in, as a page that the browser has frozen; takes it from its holder. */
export async function seize(row) {
  const name = `pos-connect ${row.id.replace(/\d{10}\.\d{14}\..*$/, "")}`;
  let release;
  const seized = await new Promise((resolve) => {
    const held = new Promise((end) => (release = end));
    const lock = navigator.locks.request(name, { steal: true }, () => (resolve(true), held));
    lock.catch(() => {}); // Stolen, as it should be.
  });
  return { seized, restore: release };
}

/** Another page takes the lock away from the first two that take it away, at the same time, and lets it go. */
export function stealBack() {
  const { request } = LockManager.prototype;
  const patch = { count: 0 };
  const value = function (name, options, granted) {
    const held = request.call(this, name, options, granted);
    if (options.steal && patch.count++ < 2) request.call(this, name, options, () => {});
    return held;
  };
  return Object.assign(patch, replace(LockManager.prototype, "request", { value, writable: true }));
}

// Looks into the vault as only a page of its origin can: for what must not lie there any more.

const of = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let key;

/** How many entries of this integration still hold a token answer; null if the vault cannot be read. */
export async function leftovers(baseUrl, token) {
  // Opening one that is not there would make it.
  if (!(await indexedDB.databases()).some(({ name }) => name === "pos-connect")) return null;
  const database = await of(indexedDB.open("pos-connect"));
  try {
    const stores = database.transaction(["keys", "entries"]);
    key ??= await of(stores.objectStore("keys").get("key"));
    const entries = await of(database.transaction("entries").objectStore("entries").getAll());
    const own = entries.filter(({ id }) => decodeURIComponent(id).startsWith(`${baseUrl} `));
    const opened = await Promise.all(own.map((entry) => unsealed(entry)));
    return opened.filter((entry) => entry.token === token && typeof entry.body === "string").length;
  } catch {
    return null;
  } finally {
    database.close();
  }
}

/** How many sales of this service are kept whose shopper is being asked, or was when the tab went. */
export async function salesLeft(baseUrl) {
  const database = await of(indexedDB.open("pos-connect"));
  try {
    const ids = await of(database.transaction("entries").objectStore("entries").getAllKeys());
    return ids.filter((id) => decodeURIComponent(id).startsWith(`sale ${baseUrl} `)).length;
  } finally {
    database.close();
  }
}

async function unsealed({ id, iv, sealed }) {
  const how = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(id) };
  const text = await crypto.subtle.decrypt(how, key, sealed);
  return JSON.parse(new TextDecoder().decode(text));
}

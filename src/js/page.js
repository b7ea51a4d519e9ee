// What only JavaScript can do, or does in a third of the bytes: requests, vault, frame. All of it performs; Rust decides.
//
// One file, because each would be a request of its own: wasm-bindgen's test server answers four at a time, and Chromium's others would wait for ever
// (a thread that serves an idle connection is never free again).

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

// The connect frame in the page: performs what src/browser/frame.rs decides. Here rather than in Rust, because it costs a third of the bytes. Light DOM with class
// names, so that the till's own style sheet reaches it; what must hold is set through CSSOM, which a strict Content-Security-Policy allows where it blocks style="…".

const COLUMN = "display:flex;flex-direction:column;";
const TOUCHABLE = "min-height:44px;padding:0 1em;font:inherit;";
const QUIET = `${TOUCHABLE}border:0;background:none;color:inherit;text-decoration:underline`;
/** After so many milliseconds without a word from the page, the way out is explained. `load` proves nothing: it fires for a blocked page too. */
const SLOW = 8000;
/** How often an opened window is told hello: another origin's window fires no `load` at us. */
const AGAIN = 1000;

const make = (tag, name, content, style) => {
  const element = document.createElement(tag);
  element.className = `pos-connect-${name}`;
  element.style.cssText = style;
  element.append(content);
  return element;
};

const button = (name, content, style) => {
  const element = make("button", name, content, style);
  // Not "submit": the container may be a form of the till's.
  element.type = "button";
  return element;
};

const status = (name, content) => {
  const element = make("p", name, content, "margin:1rem");
  element.setAttribute("role", "status");
  return element;
};

/** What stands in the page; `close` is undefined where the host's own container takes it. */
function pieces(text, sandbox, isModal) {
  const title = text("title", "Connect your account");
  const loading = status("loading", text("loading", "Loading…"));
  const slow = status("slow", text("slow", "Nothing to see here? The page can be opened in a new window."));
  const code = status("code", "");
  const frame = make("iframe", "frame", "", "border:0;display:block;flex:1 1 auto;width:100%;min-height:0");
  const link = make("a", "link", "", "word-break:break-all");
  const panel = make("div", "elsewhere", link, frame.style.cssText);
  const out = button("open-window", text("openWindow", "Open in a new window"), QUIET);
  const phone = button("phone", text("phone", "Continue on your phone"), QUIET);
  const ways = make("div", "ways", out, "display:flex;flex-wrap:wrap;justify-content:center");
  // Not max(100%, 36rem): in a container without a height of its own a percentage makes all of it `auto`, which is 150 px.
  const body = make("div", "body", "", `${COLUMN}height:100%;min-height:36rem`);
  let root = body;
  let close;

  frame.title = title;
  frame.referrerPolicy = "no-referrer";
  if (sandbox !== null) frame.setAttribute("sandbox", sandbox);
  link.target = "_blank";
  link.rel = "noreferrer";
  panel.tabIndex = -1;
  panel.style.display = "none";
  slow.hidden = code.hidden = true;
  ways.append(phone);
  if (isModal) {
    close = button("close", text("close", "Close"), TOUCHABLE);
    const header = make("div", "header", make("h2", "title", title, "margin:0;min-width:0;overflow-wrap:anywhere;font-size:1.125rem"), "display:flex;align-items:center;justify-content:space-between;gap:1rem;padding:.5rem 1rem");
    header.append(close);
    body.append(header);
    body.style.cssText = `${COLUMN}height:min(44rem, 100dvh - 2rem);min-height:0`;
    root = make("dialog", "dialog", body, "padding:0;border:0;border-radius:12px;width:min(30rem, 100vw - 1rem);max-width:none;max-height:none;overflow:hidden;box-shadow:0 1rem 4rem #0008");
    root.setAttribute("aria-label", title);
  }
  body.append(loading, frame, panel, slow, code, ways);
  return { root, close, loading, frame, panel, link, slow, code, out, phone };
}

/**
 * Puts an empty frame into the container, or into a modal dialog on top of the page. What comes back is given a `tell`, which gets the events that Rust judges: our windows'
 * "message", "securitypolicyviolation" where this page's own policy blocks the frame, and whatever closes the dialog. Messages are posted to `origin` only.
 */
export function view(container, labels, sandbox, origin, onReady) {
  let url, late, opened, greeting, resolve;
  const text = (name, standard) => labels?.[name] ?? standard;
  const { root, close, loading, frame, panel, link, slow, code, out, phone } = pieces(text, sandbox, !container);
  const there = phone.textContent;
  const heard = (event) => made.tell?.(event);
  const message = (event) => {
    // Before anybody looks at what others sent: reading it could already take as long as they like.
    if (event.source && (event.source === frame.contentWindow || event.source === opened)) heard(event);
  };
  // The only sure sign of a block: a blocked frame fires `load` like any other. A report-only policy reports and blocks nothing.
  const violation = (event) => {
    const { blockedURI, disposition, effectiveDirective } = event;
    if (url && disposition === "enforce" && effectiveDirective === "frame-src" && (blockedURI === origin || blockedURI.startsWith(`${origin}/`))) heard(event);
  };
  const hello = (window) => {
    // Not delivered, without an error, where another origin's document stands there.
    window.postMessage({ posConnect: 1, type: "hello" }, origin);
  };

  if (close) {
    close.onclick = heard;
    // Escape: `cancel` can be vetoed by the page, `close` cannot.
    root.onclose = (event) => event.target === root && heard(event);
  }
  (container ?? document.body).append(root);
  try {
    if (!container) root.showModal();
  } catch (error) {
    root.remove();
    throw error;
  }

  /** Explains the way out if nothing is heard from the page that loads. */
  const awaitWord = () => {
    clearTimeout(late);
    late = setTimeout(() => {
      loading.hidden = true;
      slow.hidden = false;
    }, SLOW);
  };
  /** Shows the panel in the frame's place, or the frame again. */
  const swap = () => {
    [panel.style.display, frame.style.display] = [frame.style.display, panel.style.display];
    const open = panel.style.display != "none";
    phone.textContent = open ? text("here", "Continue here") : there;
    if (open) panel.focus();
    // Without its file the link stays, and the next click tries again.
    if (!panel.children[1]) import("./elsewhere.js").then(({ fill }) => fill(panel, link, make, text)).catch(() => {});
  };
  const elsewhere = (go) => () => {
    if (!url) return;
    code.hidden = !code.firstChild;
    go();
  };

  // Every load is another document, which has to be greeted anew. An empty frame loads as well.
  frame.onload = () => {
    if (!url) return;
    loading.hidden = true;
    // The page after a form may be the browser's own "refused to connect".
    awaitWord();
    hello(frame.contentWindow);
  };
  phone.onclick = elsewhere(swap);
  out.onclick = elsewhere(() => {
    // A second click is for a window that got lost behind this one.
    if (opened && !opened.closed) return opened.focus();
    // With an opener, or its hints could not reach us. It is the pinned connect page.
    const window = open(url, "_blank");
    if (!window) {
      // The browser blocks it: there is another way.
      if (panel.style.display == "none") swap();
      return;
    }
    opened = window;
    clearInterval(greeting);
    greeting = setInterval(() => window.closed || hello(window), AGAIN);
  });
  addEventListener("message", message);
  document.addEventListener("securitypolicyviolation", violation);

  const ended = new Promise((settle) => (resolve = settle));
  const made = {
    /** The till's `ConnectFrame`. */
    handle: { element: root, ended, close: () => heard({}) },
    /** Loads the page; `number` is what it shows where it stands alone, or undefined. */
    navigate: (address, number) => {
      url = frame.src = link.href = link.textContent = address;
      if (number) code.append(text("code", "The page there shows the same number:"), " ", make("strong", "number", number, "font-size:1.5em"));
      awaitWord();
    },
    /** The page has answered. */
    ready: () => {
      clearTimeout(late);
      loading.hidden = slow.hidden = true;
      const call = onReady;
      onReady = undefined;
      // Later: what it does here, e.g. closing, is told to Rust, which is busy telling us.
      queueMicrotask(() => {
        try {
          call?.();
        } catch (error) {
          console.error("pos-connect: onReady threw", error);
        }
      });
    },
    /** Takes everything out of the page; the opened window goes too, if the merchant has decided. */
    remove: (end) => {
      made.tell = url = onReady = undefined;
      clearTimeout(late);
      clearInterval(greeting);
      removeEventListener("message", message);
      document.removeEventListener("securitypolicyviolation", violation);
      if (end === "finished" || end === "cancelled") opened?.close();
      // Closing first is what returns the focus.
      root.close?.();
      root.remove();
      resolve(end);
    },
  };
  return made;
}

// What only JavaScript can do, or does in a third of the bytes: element class, elements, requests, frame. All of it performs; Rust decides.
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

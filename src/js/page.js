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


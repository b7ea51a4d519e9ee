// Only JavaScript can extend HTMLElement. What an element does is decided in src/keypad; this carries it.
//
// Node has no HTMLElement, so the class is made when it is first needed.
let Base;

function base(css, ask) {
  if (Base) return Base;
  return (Base = class extends HTMLElement {
    #end;
    constructor() {
      super();
      style(this.attachShadow({ mode: "open" }), globalThis, css);
    }
    adoptedCallback() {
      // Another document takes no sheet of this one's. A document without a window has nothing to style for.
      const window = this.ownerDocument.defaultView;
      if (window) style(this.shadowRoot, window, css);
    }
    async ask(options) {
      return ask(this, options);
    }
    disconnectedCallback() {
      // An element that is moved is back in the page by then.
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

// By document, as none takes another's sheet. Each order makes an element, and reading the sheet takes longer than all
// else of that.
const sheets = new WeakMap();

// A constructed sheet: a strict Content-Security-Policy allows it where it blocks a <style> element, which Safari had
// alone before 16.4, and Firefox before 101.
function style(root, window, css) {
  if (root.adoptedStyleSheets) {
    let sheet = sheets.get(root.ownerDocument);
    if (!sheet) {
      sheet = new window.CSSStyleSheet();
      sheet.replaceSync(css);
      sheets.set(root.ownerDocument, sheet);
    }
    root.adoptedStyleSheets = [sheet];
  } else if (!root.firstChild) {
    root.append(Object.assign(document.createElement("style"), { textContent: css }));
  }
}

const isOurs = (Class, css, ask) => Class.prototype instanceof base(css, ask);

/** Returns the class of that name; throws if the name is invalid or someone else's. */
export function define(name, css, ask) {
  const Class = customElements.get(name) ?? class extends base(css, ask) {};
  if (!isOurs(Class, css, ask)) throw name;
  if (!customElements.get(name)) customElements.define(name, Class);
  return Class;
}

/** Makes an element of ours; under another name if someone else has taken this one. */
export function create(name, css, ask) {
  const Class = customElements.get(name);
  if (Class && !isOurs(Class, css, ask)) return create(`${name}-`, css, ask);
  return new (define(name, css, ask))();
}

/** Calls `end` when the element leaves the page (false) or another ask takes its place (true), until it is over. */
export const hold = (element, end, isOver) => Base.hold(element, end, isOver);

/** Tells the page which language is shown. */
export const tell = (element, detail) =>
  element.dispatchEvent(new CustomEvent("localechange", { bubbles: true, detail }));

// What a key feels and sounds like. The same for every key, so that it tells nothing of the number. Where the browser
// lacks it or forbids it, nothing happens.
let audio;
let last;

export function vibrate() {
  navigator.vibrate?.(10);
}

export function click() {
  try {
    audio ??= new AudioContext();
    // Asleep between the keys, and until the first touch.
    audio.resume().catch(() => {});
    const volume = new GainNode(audio, { gain: 0.15 });
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.03);
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: 1800 });
    tone.connect(volume).connect(audio.destination);
    tone.onended = () => {
      if (tone === last) audio.suspend().catch(() => {});
    };
    last = tone;
    tone.start();
    tone.stop(audio.currentTime + 0.03);
  } catch {
    // A machine without sound.
  }
}

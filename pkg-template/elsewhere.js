// QR codes: the way to the merchant's phone, and to a shopper's receipt. A file of its own, which is loaded when
// somebody asks for it: most tills never do.
import { generate } from "lean-qr/nano";

const CENTERED = "display:grid;place-items:center;place-content:center;gap:.5rem;text-align:center";
const SVG = "http://www.w3.org/2000/svg";
/** Modules around the code that must be light (ISO/IEC 18004). */
const QUIET = 4;
/** Pixels that a code measures at least: more than three a module, which cameras tell apart on a till's screen. */
const SIZE = 240;

/**
 * Fills the panel around the link that stands in it.
 * @param {HTMLElement} panel
 * @param {HTMLAnchorElement} link
 * @param {{ scan: string, qr: string, copy: string, copied: string, waiting: string }} texts
 */
export function fill(panel, link, texts) {
  const [said, line] = ["scan", "waiting"].map((name) => panel.querySelector(`.pos-connect-${name}`));
  if (said?.textContent === texts.scan) {
    // In the same language only this one changes; the rest keeps the focus.
    line.textContent = texts.waiting;
    return;
  }
  const scan = make("p", "scan", texts.scan, "margin:0");
  // The number is right below, and what is left of the height below that.
  panel.style.flexGrow = 0;
  const number = panel.parentNode.querySelector(".pos-connect-code");
  number.style.textAlign = "center";
  number.style.marginBottom = "auto";
  // Below the code; on a low screen beside it.
  const beside = "flex:1 1 min(100%, max(12rem, (100dvh - 34rem) * 999));min-width:0";
  const words = make("div", "words", "", `${CENTERED};${beside}`);
  const waiting = make("p", "waiting", texts.waiting, "margin:0");
  waiting.setAttribute("role", "status");
  const code = drawn(generate(link.href), texts.qr);
  // Addresses run from left to right in every language.
  link.dir = "ltr";
  link.style.fontSize = ".875em";
  words.append(scan, waiting, ...copying(link, texts), link);
  panel.replaceChildren(code, words);
}

/**
 * A link that nobody can guess, as a code. It leaves this function only as a picture; the service learns its hash.
 * @param {string} receiptUrl what the link begins with
 */
export async function makeCode(receiptUrl) {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(16)));
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  const code = generate(receiptUrl + secret);
  return { linkHash: base64url(new Uint8Array(hash)), draw: (name) => drawn(code, name) };
}

/** Writes base64url without a RegExp: the page could read in its static properties what the last one ran over. */
function base64url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The button that copies the link, in its place, and what it says then; nothing where the page may not write to the
 * clipboard.
 */
function copying(link, texts) {
  link.style.display = navigator.clipboard ? "none" : "block";
  if (!navigator.clipboard) return [];
  const copy = make("button", "copy", texts.copy, "min-height:48px;padding:0 1em;font:inherit");
  const said = make("span", "copied", "", "");
  // Not "submit": the container may be inside a form of the page's.
  copy.type = "button";
  said.setAttribute("role", "status");
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(link.href);
      said.textContent = texts.copied;
    } catch {
      // Not allowed here: the link can still be marked.
      copy.remove();
      link.style.display = "block";
    }
  };
  return [copy, said];
}

/** An HTML element with a class name that the page's style sheet can use. */
function make(tag, name, text, style) {
  const element = document.createElement(tag);
  element.className = `pos-connect-${name}`;
  // Through CSSOM: a strict Content-Security-Policy blocks style attributes.
  element.style.cssText = style;
  element.textContent = text;
  return element;
}

/** Black on white whatever the page's colors are: cameras know nothing else. */
function drawn({ size, get }, name) {
  const side = size + 2 * QUIET;
  const pixels = side * Math.ceil(SIZE / side);
  const svg = shape("svg", {
    class: "pos-connect-qr",
    role: "img",
    "aria-label": name,
    viewBox: `0 0 ${side} ${side}`,
    width: pixels,
    height: pixels,
    "shape-rendering": "crispEdges",
  });
  svg.style.cssText =
    "display:block;flex:none;align-self:center;max-width:min(100%,60dvh);height:auto;" +
    "background:#fff;forced-color-adjust:none";
  let path = "";
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) if (get(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  }
  svg.append(shape("rect", { width: side, height: side, fill: "#fff" }), shape("path", { d: path, fill: "#000" }));
  return svg;
}

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

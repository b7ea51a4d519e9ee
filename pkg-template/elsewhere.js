// The way to the merchant's phone. A file of its own, which is loaded when somebody asks for it: most tills never do.
import { generate } from "lean-qr/nano";

const SVG = "http://www.w3.org/2000/svg";
/** Modules around the code that must be light (ISO/IEC 18004). */
const QUIET = 4;
/** Pixels: what a code should measure, and the least that a camera tells apart on a till's screen. */
const SIZE = 232;
const LEAST = 3;

/**
 * Fills the panel around the link that stands in it.
 * @param {HTMLElement} panel
 * @param {HTMLAnchorElement} link
 * @param {(tag: string, name: string, text: string, style: string) => HTMLElement} make
 * @param {(name: string, standard: string) => string} text gives a label of the frame
 */
export function fill(panel, link, make, text) {
  const scan = make("p", "scan", text("scan", "Scan this with your phone, or open the link there."), "margin:0 0 1rem");
  const code = drawn(generate(link.href), text("qr", "QR code of the link"));
  // Addresses run from left to right in every language.
  link.dir = "ltr";
  link.style.cssText += ";display:block;font-size:.875em";
  panel.style.cssText += ";overflow:auto;box-sizing:border-box;padding:1rem;outline:0";
  panel.replaceChildren(scan, code, link, ...copying(link.href, make, text));
}

/** The button that copies the link, and what it says then; nothing where the page may not write to the clipboard. */
function copying(url, make, text) {
  if (!navigator.clipboard) return [];
  const copy = make("button", "copy", text("copy", "Copy the link"), "min-height:44px;padding:0 1em;margin-top:1rem;font:inherit");
  const said = make("span", "copied", "", "margin-inline-start:.75rem");
  copy.type = "button";
  said.setAttribute("role", "status");
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(url);
      said.textContent = text("copied", "Copied");
    } catch {
      // Not allowed here: the link can still be marked.
      copy.remove();
    }
  };
  return [copy, said];
}

/** Black on white whatever the page's colors are: cameras know nothing else. */
function drawn({ size, get }, name) {
  const side = size + 2 * QUIET;
  const pixels = side * Math.max(LEAST, Math.floor(SIZE / side));
  const svg = shape("svg", { class: "pos-connect-qr", role: "img", "aria-label": name, viewBox: `0 0 ${side} ${side}`, width: pixels, height: pixels });
  svg.setAttribute("shape-rendering", "crispEdges");
  svg.style.cssText = "display:block;margin:0 auto 1rem;background:#fff;forced-color-adjust:none";
  let path = "";
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) if (get(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
  svg.append(shape("rect", { width: side, height: side, fill: "#fff" }), shape("path", { d: path, fill: "#000" }));
  return svg;
}

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

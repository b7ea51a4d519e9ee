// Runs in the page, as a text: what a person could not see, read or hit. `audit` is what the stage calls.

// A frame that is waited for, which is said above it, shows nothing yet.
const CONTROLS =
  "button, a[href], .pos-connect-slow[hidden] ~ iframe, input:not([type=hidden], .choice input), select, summary, " +
  "label.choice, [role=textbox]";

const round = ({ left, top, right, bottom }) => [left, top, right, bottom].map((side) => Math.round(side)).join(" ");
const boxOf = (element) => element.getBoundingClientRect();
/** Not `innerWidth`: on a phone a page that is too wide has the whole of its width. */
const isAcross = ({ left, right }, outer = { left: 0, right: document.documentElement.clientWidth }) =>
  left >= outer.left - 0.5 && right <= outer.right + 0.5;
const isDown = ({ top, bottom }, outer = { top: 0, bottom: innerHeight }, slack = 0.5) =>
  top >= outer.top - slack && bottom <= outer.bottom + slack;
const isIn = (rect) => isAcross(rect) && isDown(rect);
// A line is taller than its letters.
const slackOf = (rect) => Math.max(2, rect.height * 0.2);

function nameOf(element) {
  if (element.matches("[part=key]")) return "key";
  const name = element.getAttribute("part") || element.id || element.className || element.localName;
  return `${name} "${element.textContent.trim().slice(0, 24)}"`;
}

/** An element, and what is around it, through shadow roots. */
function* around(element) {
  for (let at = element; at; at = at.parentElement ?? at.getRootNode().host ?? null) yield at;
}

function isUnseen(element) {
  const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  return !isShown || [...around(element)].some((at) => getComputedStyle(at).clipPath === "inset(50%)");
}

const isSticky = (element) => [...around(element)].some((at) => getComputedStyle(at).position === "sticky");

/** Whether a touch there is the element's. */
function isHit(element, x, y) {
  let found = document.elementFromPoint(x, y);
  for (let next; (next = found?.shadowRoot?.elementFromPoint(x, y)) && next !== found; ) found = next;
  return [...around(found)].includes(element);
}

/** One control: its size, its place, and what lies on it. */
function lookAtControl(element, { scrolls, below, least, leastKey }) {
  if (below && element.closest(below)) scrolls = "all";
  const wanted = (element.matches("[part~=key]") ? leastKey : least) - 0.5;
  const { width, height } = boxOf(element);
  const flaws = [];
  if (width < wanted || height < wanted)
    flaws.push(`small: ${nameOf(element)} ${Math.round(width)}×${Math.round(height)}`);
  if (scrolls === "all") element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const rect = boxOf(element);
  // Larger than the screen: not all of it can be in sight.
  if (scrolls === "all" && height > innerHeight && isAcross(rect)) return flaws;
  if (!isIn(rect)) return [...flaws, `cut: ${nameOf(element)} ${round(rect)} of ${innerWidth}×${innerHeight}`];
  const { left, top, right, bottom } = rect;
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const points = [
    [x, y],
    [x, top + 3],
    [x, bottom - 3],
  ];
  // The number has its clear button at an end.
  if (!element.matches("[role=textbox]")) points.push([left + 3, y], [right - 3, y]);
  if (!points.every(([x, y]) => isHit(element, x, y))) flaws.push(`covered: ${nameOf(element)} ${round(rect)}`);
  return flaws;
}

/** Every line of text that is seen. */
function textsIn(root) {
  const texts = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { currentNode: node } = walk;
    const element = node.parentElement;
    const isDrawing = element.closest("option, [aria-hidden=true]:not([part])");
    if (!node.data.trim() || isDrawing || isUnseen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) if (rect.width > 1) texts.push({ element, rect, node });
  }
  return texts;
}

/** A text that stays small where the reader asked for a larger one. */
function smallText({ element }, least) {
  const size = parseFloat(getComputedStyle(element).fontSize);
  return size < least ? [`small text: ${nameOf(element)} ${size.toFixed(1)} of ${least}`] : [];
}

/** One line of text: in its control, in the page, and in what it scrolls in. */
function lookAtText({ element, rect }, isAllSeen) {
  const slack = slackOf(rect);
  const what = `${nameOf(element)} ${round(rect)}`;
  const flaws = [];
  const control = element.closest(CONTROLS);
  if (control && !(isAcross(rect, boxOf(control)) && isDown(rect, boxOf(control), slack)))
    flaws.push(`out of its control: ${what} of ${round(boxOf(control))}`);
  if (!isAcross(rect)) flaws.push(`sticks out: ${what}`);
  if (isAllSeen && !isDown(rect, undefined, slack)) flaws.push(`below the fold: ${what}`);
  for (const at of around(element)) {
    const { overflowX, overflowY } = getComputedStyle(at);
    const isCutAcross = overflowX !== "visible" && !isAcross(rect, boxOf(at));
    const isCutDown = isAllSeen && ["hidden", "clip"].includes(overflowY) && !isDown(rect, boxOf(at), slack);
    if (isCutAcross || isCutDown) flaws.push(`clipped: ${what} by ${nameOf(at)} ${round(boxOf(at))}`);
  }
  return flaws;
}

/** A word on a button stays whole, at the usual text size also one with a hyphen. */
function brokenWords({ element, node }) {
  if (!element.closest("button, [part=title], [class^=pos-connect-done]")) return [];
  const isLarge = parseFloat(getComputedStyle(document.documentElement).fontSize) > 16;
  const isBroken = ({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    // Parts of a word in another font begin a little higher or lower.
    // In Firefox a mark that isolates a number, which has no width, may stay on the line before.
    const [first, ...others] = [...range.getClientRects()].filter(({ width }) => width > 1);
    const isWhole = others.every(({ top }) => Math.abs(top - first.top) <= first.height / 2);
    return !isWhole && !(isLarge && word.includes("-"));
  };
  return [...node.data.matchAll(/\S+/g)].some(isBroken) ? [`broken word: ${nameOf(element)}`] : [];
}

/** What of a text is not behind the edge of what it scrolls in. */
function shown({ element, rect }) {
  const { left, right, height } = rect;
  let { top, bottom } = rect;
  for (const at of around(element)) {
    if (getComputedStyle(at).overflowY === "visible") continue;
    top = Math.max(top, boxOf(at).top);
    bottom = Math.min(bottom, boxOf(at).bottom);
  }
  return { left, right, top, bottom, height };
}

/** Texts that lie on each other; what stays at the end of a page that scrolls may. */
function overlaps(texts, isAllSeen) {
  const flaws = [];
  const parts = texts.map((text) => ({ ...text, rect: shown(text), stays: isSticky(text.element) }));
  parts.forEach((one, at) => {
    for (const other of parts.slice(at + 1)) {
      if (one.node === other.node || (!isAllSeen && one.stays !== other.stays)) continue;
      const [a, b] = [one.rect, other.rect];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 2 && down > Math.min(a.height, b.height) * 0.4)
        flaws.push(`over each other: ${nameOf(one.element)} and ${nameOf(other.element)}`);
    }
  });
  return flaws;
}

/** Whether its outline is to be seen in the picture: it has one, works, is free, and has no ring of the focus. */
function isMeasured(element) {
  const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(element);
  const isSeen = (color) => !/^rgba\(.*, 0\)$|^transparent$/.test(color);
  const hasBorder = borderTopStyle !== "none" && parseFloat(borderTopWidth) > 0 && isSeen(borderTopColor);
  if (!(hasBorder || isSeen(backgroundColor)) || element.matches(":disabled, :focus, [aria-disabled=true] *"))
    return false;
  const { left, right, top, bottom } = boxOf(element);
  return isIn(boxOf(element)) && [top + 0.5, bottom - 0.5].every((y) => isHit(element, (left + right) / 2, y));
}

function rootOf(scope) {
  if (scope !== "keypad") return document.querySelector(scope);
  const hosts = [...document.querySelectorAll("ereceipt-keypad")];
  const find = (css) => hosts.map(({ shadowRoot }) => shadowRoot.querySelector(css)).find(Boolean);
  // An open list lies on the rest.
  return find("[part=languages]:not([hidden])") ?? find("[part=keypad], [part=outcome]");
}

/**
 * @param {{
 *   scope: string, scrolls: string, below?: string, least: number, leastKey: number, leastText: number
 * }} wanted
 *   `scope`: the element that is looked at, `"keypad"` for that of the shadow root; `scrolls`: what may be below the
 *   fold, in the reach of a finger: `"all"`, `"text"`, `"inside"` (texts, in a page that stands), or `"nothing"`;
 *   `below`: what may be there in any case; `leastText`: the size of the smallest text
 * @returns {{ flaws: string[], edges: object[] }} `edges`: the controls whose outline is to be measured in the picture
 */
function audit(wanted) {
  const root = rootOf(wanted.scope);
  if (!root) return { flaws: [`There is no ${wanted.scope}.`], edges: [] };
  const isAllSeen = wanted.scrolls === "nothing";
  const texts = textsIn(root);
  const isNeeded = ({ element }) => isAllSeen && !(wanted.below && element.closest(wanted.below));
  const flaws = texts.flatMap((text) => [...lookAtText(text, isNeeded(text)), ...brokenWords(text)]);
  flaws.push(...texts.flatMap((text) => smallText(text, wanted.leastText)), ...overlaps(texts, isAllSeen));
  const { scrollWidth, scrollHeight, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) flaws.push(`The page scrolls sideways: ${scrollWidth}`);
  const stands = wanted.scrolls === "inside" || (isAllSeen && wanted.scope === "keypad");
  if (stands && scrollHeight > innerHeight + 1) flaws.push(`The page scrolls: ${scrollHeight} of ${innerHeight}`);
  const controls = [...root.querySelectorAll(CONTROLS)].filter((element) => !isUnseen(element));
  const edges = controls.filter(isMeasured).map((element) => {
    const { left, top, right, bottom } = boxOf(element);
    return { name: nameOf(element), left, top, right, bottom };
  });
  const everything = [document.documentElement, ...document.body.querySelectorAll("*"), ...root.querySelectorAll("*")];
  const places = everything.map((at) => [at, at.scrollTop]);
  flaws.push(...controls.flatMap((element) => lookAtControl(element, wanted)));
  for (const [at, top] of places) if (at.scrollTop !== top) at.scrollTop = top;
  return { flaws: [...new Set(flaws)], edges };
}

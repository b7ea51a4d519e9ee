// @engines chromium: only its driver sets the size of the browser's text
// The demo till and its pages to copy from, as axe sees them. Their layout is looked at by `../e2e/layout.test.js`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectFrame } from "../e2e/support/connect-frame.js";
import { becomes } from "../e2e/support/wait.js";
import { CONSENT, scrolls, SIGN_IN, UNSEEN_ASKS } from "./support/connect.js";
import { stage } from "./support/stage.js";

const screens = stage("till");
const IS_READY = `const button = document.querySelector("#connect");
  return button && !button.disabled && !document.querySelector("#login").hidden;`;

// Text that is scrolled half out of sight has no background that axe could decide on.
const LOOK = { scope: "body", audit: false, undecided: false };
const till = (name, enter, part) => screens.state(name, { enter, parts: [{ ...LOOK, ...part }] });
const press = (css) => screens.run("document.querySelector(arguments[0]).click()", css);
const opens = (page = "") => screens.open(page, IS_READY);

const TELL_CHANGE = `return import("./changed.js")
  .then(({ tellChange }) => tellChange("The merchant switched e-receipts off."));`;

/** Five lines in the order, and one part of the till where a window shows one at a time. */
const rings = (view) => async () => {
  await opens();
  await screens.run(`
    for (const button of [...document.querySelectorAll("#products button")].slice(0, 5)) button.click();`);
  await press(`#views [data-view=${view}]`);
};
const SWITCHES = { ereceipt: "on", region: "IL", gateway: "works" };
/** Charges an order with the receipt step's switches set. */
const charges = async (switches) => {
  await rings("order")();
  await chooses({ ...SWITCHES, ...switches });
  await press("#charge");
  await press(".question [value=card]");
  await screens.until(
    "return document.querySelector('ereceipt-keypad')?.shadowRoot?.querySelector('[part=send]')?.checkVisibility()",
    "The keypad never came.",
  );
};
/** Sets switches of the receipt step. */
const chooses = (switches) => {
  const choose = `for (const [name, value] of Object.entries(arguments[0])) {
    const control = document.getElementById("choose-" + name);
    if (value === true) control.checked = true;
    else control.value = value;
    control.dispatchEvent(new Event("change"));
  }`;
  return screens.run(choose, switches);
};
const key = (part) =>
  screens.run("document.querySelector('ereceipt-keypad').shadowRoot.querySelector(arguments[0]).click()", part);

till("items", rings("sale"));
till("order", rings("order"));
till("what happens", async () => {
  await rings("flow")();
  await screens.run("for (const choices of document.querySelectorAll('.choices')) choices.open = true");
});
till("what was changed elsewhere", async () => {
  await rings("order")();
  await screens.run(TELL_CHANGE);
});
till("the keypad beside the order", () => charges({ layout: "inline" }));
till("the keypad over the till", () => charges({ layout: "customer" }));
till("a receipt in the tray", async () => {
  await charges({ layout: "dialog" });
  await key("[part=print]");
  await screens.until("return document.querySelector('#tray figcaption') !== null", "Nothing was printed.");
  await screens.until("return document.querySelector('body > ereceipt-keypad') === null", "The keypad never went.");
  const shadow = "return getComputedStyle(document.querySelector('#tray figcaption').parentElement).filter";
  assert.equal(await screens.run(shadow), "none", "The words have the paper's shadow.");
});
till("how it is paid", async () => {
  await rings("order")();
  await press("#charge");
}, { scope: ".question" });
const listsOrder = async () => {
  await opens();
  await press("#products button");
  await press("#charge");
  await press(".question [value=card]");
  await screens.until("return document.querySelector('#tray figcaption') !== null", "Nothing was printed.");
  await press("#recent");
  await screens.until("return document.querySelector('.outbox li') !== null", "No order is listed.");
};
till("recent orders", listsOrder, { scope: ".question" });

// With the demo's logins above the frame, which must leave room for the page in it. Outlines are looked at below.
const DIALOG = [
  { scope: ".connect-dialog" },
  { scope: "body", frame: ".pos-connect-frame", undecided: false },
];
const connecting = (name, enter, more) =>
  screens.state(name, { enter, parts: DIALOG, contrast: 0, ...more });
const connects = async ({ language }) => {
  await opens();
  await chooses({ locale: language });
  await press("#connect");
  await new ConnectFrame(screens.window).shows("sign-in");
  const heads = "return [document.querySelector('#connect-title').textContent, document.querySelector('iframe').title]";
  const [till, frame] = await screens.run(heads);
  assert.equal(till, frame, "The dialog is in another language than its frame.");
  const isSecond = await screens.run("return document.querySelector('#connect-title').offsetWidth > 1");
  assert.ok(!isSecond, "The page has a heading already.");
};
connecting("the connect dialog", connects, { scrolls, ...SIGN_IN });
connecting("consent in the connect dialog", async (view) => {
  await connects(view);
  const frame = new ConnectFrame(screens.window);
  await frame.signIn(screens.service.settings.account);
  await frame.shows("consent");
  const unseen = await frame.inside(() => screens.run(UNSEEN_ASKS));
  if (view.percent === 100) assert.deepEqual(unseen, [], "below the fold");
}, CONSENT);
connecting("the phone in the connect dialog", async (view) => {
  await connects(view);
  await press(".pos-connect-phone");
  await screens.until("return document.querySelector('.pos-connect-qr path') !== null", "The code never came.");
}, { parts: DIALOG.slice(0, 1), scrolls });
till("one call", () => opens("one-call.html"));
till("step by step", () => opens("step-by-step.html"));
till("a refund", async () => {
  await listsOrder();
  await press(".outbox [value^=refund]");
  await screens.until("return document.querySelector('#lines li') !== null", "Nothing is given back.");
  const [title, clear] = await screens.run(`
    return ["#order-title", "#clear-order"].map((css) => document.querySelector(css).getBoundingClientRect().top);`);
  assert.ok(Math.abs(title - clear) < 48, "Clear is on another line than the title.");
});

// How the till fills a screen: rules of its style sheets, which Chromium's sizes show.
const SCREENS = [[360, 640], [820, 1180], [1080, 1920], [1280, 800], [1920, 1080], [2560, 1440]];

/** Holes between tiles, and beside them, of more than two gaps; cut names; tiles of two sizes, where all fit. */
const HOLES = `
  const grid = document.querySelector("#products");
  const found = [];
  const most = 2 * Number.parseFloat(getComputedStyle(grid).columnGap) + 1;
  const scrolls = grid.scrollHeight > grid.clientHeight + 1;
  const edge = grid.getBoundingClientRect();
  const placed = (tile) => ({ tile, ...tile.getBoundingClientRect().toJSON() });
  const tiles = Array.from(grid.querySelectorAll(".product"), placed);
  const rows = Map.groupBy(tiles, ({ top }) => Math.round(top));
  for (const row of rows.values()) {
    let at = edge.left;
    for (const { left, right } of row) {
      if (left - at > most) found.push("hole of " + Math.round(left - at) + " px");
      at = right;
    }
    if (edge.right - at > most) found.push("hole of " + Math.round(edge.right - at) + " px at the end of a row");
  }
  const last = Math.max(...tiles.map(({ bottom }) => bottom));
  const hole = edge.bottom - last;
  if (!scrolls && hole > most) found.push("hole of " + Math.round(hole) + " px at the foot");
  const widths = new Set(tiles.map(({ width }) => Math.round(width)));
  if (!scrolls && widths.size > 1) found.push("widths: " + [...widths].join(", "));
  for (const { tile } of tiles)
    if (tile.scrollHeight > tile.clientHeight + 1 || tile.scrollWidth > tile.clientWidth + 1)
      found.push("cut: " + tile.textContent.trim());
  return found;`;

/** What must be seen at once, and is not. */
const UNSEEN = `
  const found = [];
  const { scrollWidth, clientWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > clientWidth || scrollHeight > innerHeight) found.push("the page scrolls");
  for (const element of document.querySelectorAll(arguments[0])) {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (!element.checkVisibility() || left < 0 || top < 0 || right > innerWidth || bottom > innerHeight)
      found.push("out of sight: " + element.id);
    else if (!element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)))
      found.push("covered: " + element.id);
    if (element.scrollWidth > element.clientWidth + 1) found.push("cut: " + element.id);
  }
  // Beside a wide catalog a line of the order is one row: name, quantity, amount.
  for (const { clientHeight, textContent } of document.querySelectorAll(".line"))
    if (innerWidth >= 1280 && clientHeight > 64) found.push("high: " + textContent.trim());
  return found;`;

for (const page of ["", "?kiosk"]) {
  test(`till: ${page || "selling"} fills every screen, and the total and Charge are in sight`, async () => {
    await opens(page);
    const buttons = "[...document.querySelectorAll('#products button')]";
    await screens.run(`for (const button of ${buttons}.slice(0, 5)) button.click();`);
    for (const size of SCREENS) {
      await screens.dress({ size, percent: 100, language: "en", theme: "light" });
      await press("#views [data-view=sale]");
      await becomes(() => screens.run(HOLES), [], size.join("×"));
      await press("#views [data-view=order]");
      const needed = `${page ? "" : "#connect, "}#theme, #total, #charge`;
      await becomes(() => screens.run(UNSEEN, needed), [], size.join("×"));
      const isOffered = "return ['#discount', '#connect'].map((css) => document.querySelector(css).checkVisibility())";
      const isForCashiers = page === "";
      assert.deepEqual(await screens.run(isOffered), [isForCashiers, isForCashiers], "Who pays is no cashier.");
      const top = "return document.querySelector('main').getBoundingClientRect().top";
      const before = await screens.run(top);
      await screens.run(TELL_CHANGE);
      assert.equal(await screens.run(top), before, `${size}: a notice moves what is below it.`);
      await press("#changed button");
      const text = await screens.run("return Number.parseFloat(getComputedStyle(document.body).fontSize)");
      assert.ok(text >= (page && Math.min(...size) >= 1080 ? 19 : 16), `${size}: text of ${text} px`);
    }
  });
}

test("till: with large text on a phone, pictures of buttons grow, and no name in an order is broken", async () => {
  await rings("order")();
  await screens.dress({ size: [360, 640], percent: 200, language: "en", theme: "light" });
  const flaws = `
    const small = Array.from(document.querySelectorAll("button.icon svg"))
      .filter((svg) => svg.checkVisibility() && Math.min(svg.clientWidth, svg.clientHeight) < 32);
    const broken = Array.from(document.querySelectorAll(".line .name")).filter((name) => {
      name.style.overflowWrap = "normal";
      return name.scrollWidth > name.clientWidth;
    });
    return [...small, ...broken].map(({ parentElement }) => parentElement.textContent);`;
  await becomes(() => screens.run(flaws), []);
});

test("till: a kiosk's keypad has half of the width and no void", async () => {
  const view = { percent: 100, language: "en", theme: "light" };
  for (const locale of ["en", "he"]) {
    await charges({ layout: "customer", locale, languages: true, allowNone: locale === "en" });
    const places = `
      const { shadowRoot } = document.querySelector("ereceipt-keypad");
      const edgesOf = (part) => shadowRoot.querySelector("[part=" + part + "]").getBoundingClientRect();
      const { width, bottom } = edgesOf("keypad");
      const [slot, consent, actions, keys] = ["slot", "consent", "actions", "keys"].map(edgesOf);
      const gaps = [consent.top - slot.bottom, actions.top - consent.bottom, Math.abs(actions.bottom - keys.bottom)];
      const isFull = innerWidth < innerHeight || gaps.every((gap) => gap < 16);
      const isInside = width >= innerWidth / 2 && bottom <= innerHeight;
      return [isInside, isFull];`;
    for (const size of [[1920, 1080], [1280, 800], [1080, 1920]]) {
      await screens.dress({ ...view, size });
      const found = await screens.run(places);
      assert.deepEqual(found, [true, true], `${locale} ${size}: cut, or with a void beside the keys`);
    }
  }
});

test("till: a hole in the grid is found", async () => {
  await opens();
  await screens.dress({ size: [1280, 800], percent: 100, language: "en", theme: "light" });
  await becomes(() => screens.run(HOLES), []);
  await screens.run("document.querySelector('#products li:last-child').remove()");
  const isFound = async () => (await screens.run(HOLES)).some((flaw) => flaw.startsWith("hole"));
  await becomes(isFound, true, "The hole is not found.");
});

// Colors in pairs, as they are computed: a line of 1 px may fall between two pixels of a picture.
const TEXT = 4.5;
const OUTLINE = 3;

/** The pairs of colors that have less contrast than they need. A name is in `colors`, or a variable of `css`'s. */
const faint = (css, pairs, colors = {}) =>
  screens.run(
    `const [css, pairs, colors] = arguments;
    const host = document.querySelector(css);
    const computed = (name) => {
      if (name in colors) return colors[name];
      host.style.color = "var(" + name + ")";
      const { color } = getComputedStyle(host);
      host.style.color = "";
      return color;
    };
    const luminance = (name) => {
      const color = computed(name);
      const numbers = color.match(/[0-9.]+/g).slice(0, 3).map(Number);
      const parts = color.startsWith("color(") ? numbers : numbers.map((number) => number / 255);
      const linear = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    return pairs.flatMap(([front, back, least]) => {
      const [dark, light] = [luminance(front), luminance(back)].sort((a, b) => a - b);
      const contrast = (light + 0.05) / (dark + 0.05);
      return contrast >= least ? [] : [front + " on " + back + ": " + contrast.toFixed(2)];
    });`,
    css,
    pairs,
    colors,
  );
/** Nothing is on its way from one color to another. */
const wears = async (theme, look = "bakery") => {
  await screens.run(
    `[document.documentElement.dataset.theme, document.documentElement.dataset.keypad] = arguments;
    const { shadowRoot } = document.querySelector("ereceipt-keypad") ?? {};
    for (const root of [document, shadowRoot]) for (const change of root?.getAnimations() ?? []) change.finish();`,
    theme,
    look,
  );
};

test("till: outlines of controls have a contrast of 3:1 to what is around them, text one of 4.5:1", async () => {
  await rings("sale")();
  const fronts = [["--edge", OUTLINE], ["--accent", TEXT], ["--ink", TEXT], ["--soft", TEXT]];
  const backs = ["--paper", "--card", "--tint", "--wash"];
  const pairs = fronts.flatMap(([front, least]) => backs.map((back) => [front, back, least]));
  for (const theme of ["light", "dark"]) {
    await wears(theme);
    assert.deepEqual(await faint("body", pairs), [], theme);
    const others = await screens.run(`
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = "var(--edge)";
      const outline = getComputedStyle(probe).color;
      probe.remove();
      // A product is known by its picture and its name: it needs no outline.
      const controls = ".categories [aria-pressed=false], .quantity .icon, .two-lines, .choices";
      return Array.from(document.querySelectorAll(controls))
        .filter((control) => getComputedStyle(control).borderTopColor !== outline)
        .map(({ className }) => className);`);
    assert.deepEqual(others, [], `${theme}: another outline`);
  }
});

test("till: the keypad's six looks, light and dark: outlines 3:1, text 4.5:1", async () => {
  await charges({ layout: "inline" });
  const offered = "return Array.from(document.querySelectorAll('#choose-keypad option'), ({ value }) => value)";
  const looks = await screens.run(offered);
  assert.equal(looks.length, 6);
  const texts = ["text", "muted", "error", "accent"].map((name) => [`--ereceipt-${name}`, "--ereceipt-surface", TEXT]);
  const pairs = [
    ...texts,
    ["--ereceipt-on-accent", "--ereceipt-accent", TEXT],
    ["digit", "key", TEXT],
    ["--ereceipt-border", "--ereceipt-surface", OUTLINE],
  ];
  const accents = new Set();
  for (const look of looks) {
    for (const theme of ["light", "dark"]) {
      await wears(theme, look);
      const colors = await screens.run(`
        const { shadowRoot } = document.querySelector("ereceipt-keypad");
        const key = getComputedStyle(shadowRoot.querySelector("[part~=key]"));
        const accent = getComputedStyle(shadowRoot.querySelector("[part=send]")).color;
        return { accent, digit: key.color, key: key.backgroundColor };`);
      accents.add(colors.accent);
      assert.deepEqual(await faint("ereceipt-keypad", pairs, colors), [], `${look}, ${theme}`);
    }
  }
  assert.equal(accents.size, 12, "Two looks are the same.");
});

// @engines chromium: the site is mdBook's, and what is held here is that nothing of ours spoils it
// @needs site
// The site of docs/ in a browser: on a screen and on a phone, light and dark.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { violations } from "../e2e/support/axe.js";
import { openBrowser, resize } from "../e2e/support/browser.js";
import { pathFrom } from "../e2e/support/environment.js";
import { serve } from "../package/site.js";

const LIMIT = { timeout: 540_000 };
const PAGES = (await readdir(new URL("../../docs/", import.meta.url)))
  .filter((name) => name.endsWith(".md") && name !== "SUMMARY.md")
  .map((name) => name.replace(/\.md$/, ".html"));
/** mdBook's names of themes, and whether pictures are to be dark in them. */
const THEMES = { light: false, navy: true };
/** The sizes of a screen and of a phone. */
const SIZES = [
  [1280, 800],
  [360, 740],
];

let site, browser, window;
before(async () => {
  site = await serve(pathFrom("POS_SITE"));
  browser = await openBrowser();
  window = browser.window;
}, LIMIT);
after(async () => {
  await browser?.close();
  await site?.close();
}, LIMIT);

/** A screen in the light and a phone in the dark; every night the other two, too. */
const VIEWS = Object.keys(THEMES).flatMap((theme) => SIZES.map((size) => ({ theme, size })));
const shown = process.env.POS_NIGHTLY ? VIEWS : [VIEWS.at(0), VIEWS.at(-1)];

const run = (script, ...given) => window.executeScript(script, ...given);

/** The theme that a reader has chosen, for the pages that are opened next. */
async function choose(theme) {
  await window.get(new URL(PAGES[0], site.url).href);
  await run(
    "localStorage.setItem('mdbook-theme', arguments[0]); localStorage.setItem('mdbook-sidebar', 'hidden')",
    theme,
  );
}

/** Opens a page, and waits until it has its theme and its pictures. */
async function open(page, theme) {
  await window.get(new URL(page, site.url).href);
  await window.wait(() => run("return document.documentElement.classList.contains(arguments[0])", theme), 20_000);
  await window.wait(() => run("return Array.from(document.images).every((image) => image.complete)"), 20_000);
}

/** What a reader would have to scroll to the side for, beside tables and blocks that scroll by themselves. */
const SIDEWAYS = `
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push("the page: " + scrollWidth);
  for (const image of document.querySelectorAll("main img")) {
    if (image.naturalWidth === 0) found.push("no picture: " + image.src);
    if (image.getBoundingClientRect().right > innerWidth + 0.5) found.push("a picture: " + image.src);
  }
  return found;`;

/** Between them, they have a block of each kind: a theme has one style sheet. */
const COLORFUL = ["quick-start.html", "back-end.html", "operating.html", "recovery.html"];
const isJudged = (page, theme) => theme === "light" || process.env.POS_NIGHTLY || COLORFUL.includes(page);

for (const { theme, size } of shown) {
  test(`the site, ${theme}, ${size[0]} wide: nothing sticks out, and axe finds nothing`, LIMIT, async () => {
    await choose(theme); // First: the size of a telephone's window holds only where a page is open.
    await resize(window, ...size);
    const faults = [];
    for (const page of PAGES) {
      await open(page, theme);
      const found = await run(SIDEWAYS);
      if (isJudged(page, theme)) found.push(...(await violations(window, "html", { undecided: false })));
      faults.push(...found.map((fault) => `${page}: ${fault}`));
    }
    assert.deepEqual(faults, []);
  });
}

for (const size of SIZES) {
  test(`a key opens the table of contents, and closes it, ${size[0]} wide`, LIMIT, async () => {
    await choose("light");
    await resize(window, ...size);
    await open(PAGES[0], "light");
    const toggle = await window.findElement({ id: "mdbook-sidebar-toggle" });
    const look = `
      const { left, right } = document.querySelector("#mdbook-sidebar").getBoundingClientRect();
      return right > left && left >= 0;`;
    const states = async () => [await toggle.getAttribute("aria-expanded"), await run(look)];
    const becomes = (isOpen) =>
      window.wait(async () => (await states()).every((state) => String(state) === String(isOpen)), 20_000, isOpen);
    await becomes(false);
    for (const [key, isOpen] of [
      ["\uE007", true],
      [" ", false],
      [" ", true],
    ]) {
      await toggle.sendKeys(key);
      await becomes(isOpen);
    }
  });
}

test("a diagram has the colors of the theme", LIMIT, async () => {
  await resize(window, ...SIZES[0]);
  for (const [theme, isDark] of Object.entries(THEMES)) {
    await choose(theme);
    await open("recovery.html", theme);
    const brightness = await run(`
      const canvas = document.createElement("canvas");
      const context = canvas.getContext("2d");
      const image = document.querySelector("main img");
      context.drawImage(image, 0, 0);
      const [red, green, blue] = context.getImageData(2, 2, 1, 1).data;
      return (red + green + blue) / 3;`);
    assert.equal(brightness < 128, isDark, `${theme}: ${brightness}`);
  }
});

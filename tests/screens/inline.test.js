// @engines chromium: only its driver sets the size of the browser's text
// The keypad in a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ABROAD, CHOICE, FULL, states, VALID } from "./support/keypad.js";
import { stage } from "./support/stage.js";

const screens = stage("inline");
const LARGE = { "360x640": 18, "740x360": 18.5, "1024x600": 26.5, "1280x800": 22.5 };
const { asks, types, ends, keypad } = states(screens, LARGE);
const INLINE = { inline: true, ...FULL };

keypad("empty", asks({ inline: true }));
keypad("with all", asks(INLINE));
keypad("valid", asks(INLINE, types(VALID)));
keypad("suggestion", asks(INLINE, types(ABROAD)));
keypad("branded", asks({ ...FULL, brand: true }, types(VALID)));
keypad("a choice of languages", asks({ inline: true, ...CHOICE }, types("05023456789")));
keypad("a choice of languages with all", asks({ ...INLINE, ...CHOICE, brand: true }, types("05023456789")));
keypad("a wide logo", asks({ ...FULL, ...CHOICE, brand: "wide" }, types(VALID)));
keypad("sent", ends({ inline: true }, "send"));

for (const language of ["en", "he"]) {
  for (const [size, percent] of [[[1280, 800], 100], [[1280, 800], 200], [[768, 1024], 100], [[600, 720], 200]]) {
    const name = `${size.join("×")}, ${percent} %, ${language}`;
    test(`inline: a wide logo is whole beside the language button: ${name}`, async () => {
      const view = { size, percent, language, theme: "light" };
      await screens.dress(view);
      await asks({ brand: "wide", ...CHOICE })(view);
      const found = await screens.run(`
        const host = document.querySelector("ereceipt-keypad");
        const logo = host.firstElementChild.getBoundingClientRect();
        const button = host.shadowRoot.querySelector("[part=language]").getBoundingClientRect();
        const isBeside = logo.right <= button.left || logo.left >= button.right || logo.top >= button.bottom;
        return { isBeside, isShown: logo.width > 48, fit: getComputedStyle(host.firstElementChild).objectFit };`);
      assert.deepEqual(found, { isBeside: true, isShown: true, fit: "contain" });
    });
  }
}

test("inline: the page's brand stands above the title where there is room, and nowhere else", async () => {
  const tall = { size: [1280, 800], percent: 100, language: "en", theme: "light" };
  await screens.dress(tall);
  await asks({ brand: true })(tall);
  const place = () => screens.run(`
    const keypad = document.querySelector("ereceipt-keypad");
    const title = keypad.shadowRoot.querySelector("[part=title]").getBoundingClientRect();
    const { width, bottom } = keypad.firstElementChild.getBoundingClientRect();
    return { width, isAbove: width > 0 && bottom <= title.top };`);
  assert.deepEqual(await place(), { width: 48, isAbove: true });
  await screens.dress({ ...tall, size: [740, 360] });
  assert.deepEqual(await place(), { width: 0, isAbove: false });
  await screens.dress(tall);
  await screens.call("press", "print");
  await screens.until("return !screens.shows('print')", "The keypad never went.");
  assert.equal(await screens.run("return document.querySelector('[slot=brand]').getClientRects().length"), 0);
});

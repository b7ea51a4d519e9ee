// @engines chromium: only its driver sets the size of the browser's text
// Each kind of fault that the screens are looked at for, planted on purpose, is found.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FULL, states, VALID } from "./support/keypad.js";
import { stage } from "./support/stage.js";

const screens = stage("faults");
const { asks, types } = states(screens, {});
const VIEW = { size: [360, 640], percent: 100, language: "en", theme: "light" };
const KEYPAD = [{ scope: "keypad" }];
const look = async (isJudged) => (await screens.look(VIEW, KEYPAD, { isJudged, leastText: () => 14 })).found;
const sees = async (expected, isJudged = false) => {
  const found = await look(isJudged);
  assert.ok(found.some((flaw) => expected.test(flaw)), `${expected} is not among: ${found.join("; ")}`);
};

/** A style for one part of the keypad, by its selector. */
const FAULTS = [
  ["[part~=key]", "min-height: 0; height: 40px; align-self: center", /^small: key/],
  ["[part=send]", "position: relative; top: 200px", /^cut: send/],
  ["[part=screen]", "position: fixed; inset: 0; z-index: 9; background: white", /^covered: /],
  ["[part=print]", "white-space: nowrap; flex: 0 0 48px; min-width: 0", /^out of its control: print/],
  ["[part=title]", "margin-inline-start: -300px", /^sticks out: .*"Receipt/],
  ["[part=slot]", "height: 0; min-height: 0; overflow: clip", /^clipped: /],
  ["[part=title]", "inline-size: 60px; overflow-wrap: anywhere", /^broken word: .*"Receipt/],
  ["[part=context]", "margin-block-start: -2em", /^over each other: /],
  ["[part=consent]", "font-size: 12px", /^small text: consent/],
  ["[part=none]", "border-color: #ddd", /^faint: none/],
  ["[part=consent]", "color: #999", /^color-contrast: /],
];

test("each fault that is planted is found, and without it nothing", async () => {
  await screens.dress(VIEW);
  await asks(FULL, types(VALID))(VIEW);
  assert.deepEqual(await look(true), []);
  const plant = `const { shadowRoot } = document.querySelector("ereceipt-keypad");
    shadowRoot.querySelector(arguments[0]).style.cssText = arguments[1];`;
  for (const [css, style, expected] of FAULTS) {
    await screens.run(plant, css, style);
    await sees(expected, expected.source.includes("contrast"));
    await screens.run(plant, css, "");
  }
  assert.deepEqual(await look(true), []);
});

test("a page that is wider than a phone, or longer than it may be, is found", async () => {
  await screens.dress(VIEW);
  await asks({ inline: true })(VIEW);
  const plant = (style) => screens.run("document.body.style.cssText = arguments[0]", style);
  for (const [style, expected] of [
    ["inline-size: 400px", /^The page scrolls sideways/],
    ["block-size: 700px", /^The page scrolls: /],
  ]) {
    await plant(style);
    await sees(expected);
  }
  await plant("");
  assert.deepEqual(await look(true), []);
});

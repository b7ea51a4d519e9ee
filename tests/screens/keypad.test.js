// @engines chromium: only its driver sets the size of the browser's text
// The keypad in its dialog. How it asks at first is in `first.test.js`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ABROAD, CHOICE, FULL, LARGE, states, VALID } from "./support/keypad.js";
import { stage } from "./support/stage.js";

const screens = stage("keypad");
const { asks, lists, types, becomes, sends, ends, keypad } = states(screens, LARGE);

keypad("empty", asks({}, async ({ size, percent }) => {
  if (size.join("x") !== "1280x800" || percent > 100) return;
  const parts = ["screen", "slot", "consent", "actions"];
  const edges = await screens.run(`
    const { shadowRoot } = document.querySelector("ereceipt-keypad");
    return arguments[0].map((part) => {
      const { top, bottom } = shadowRoot.querySelector("[part=" + part + "]").getBoundingClientRect();
      return { top, bottom };
    });`, parts);
  const voids = edges.slice(1).map(({ top }, at) => top - edges[at].bottom).filter((gap) => gap > 24);
  assert.deepEqual([voids, edges[1].bottom - edges[1].top < 64], [[], true], "a void beside the keys");
}));
test("keypad: on a large screen its keys and pictures grow with their text, and none lies on another", async () => {
  const view = { size: [2560, 1440], percent: 100, language: "en", theme: "light" };
  await asks({ ...FULL, ...CHOICE })(view);
  await screens.dress(view);
  const found = await screens.run(`
    const { shadowRoot } = document.querySelector("ereceipt-keypad");
    const button = shadowRoot.querySelector("[part=language]");
    const text = document.createRange();
    text.selectNodeContents(button);
    const arrow = getComputedStyle(button, "::after");
    const top = button.getBoundingClientRect().bottom - parseFloat(arrow.bottom) - parseFloat(arrow.borderTopWidth) - 1;
    const key = shadowRoot.querySelector("[part~=delete]");
    return [
      top >= text.getBoundingClientRect().bottom,
      parseFloat(getComputedStyle(key, "::before").width) >= parseFloat(getComputedStyle(key).fontSize),
      key.getBoundingClientRect().height >= innerHeight / 10,
    ];`);
  assert.deepEqual(found, [true, true, true]);
});
keypad("begun", asks(FULL, types("050")));
keypad("forced colors", asks(FULL, async () => {
  await types("036")();
  // A clip of its background is what is seen of it: the page's colors are not forced upon it.
  const colors = await screens.run(`
    const { shadowRoot } = document.querySelector("ereceipt-keypad");
    const icon = getComputedStyle(shadowRoot.querySelector("[part~=delete]"), "::before").backgroundColor;
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "ButtonText";
    const text = getComputedStyle(probe).color;
    probe.remove();
    return { icon, text };`);
  assert.equal(colors.icon, colors.text);
}), { forced: true });
keypad("too short", sends({}, "0502", "bad"));
keypad("no mobile", asks(FULL, types("039999999")));
keypad("too long", asks(FULL, types("05023456789")));
keypad("a choice of languages", asks(CHOICE, types("05023456789")));
keypad("a choice of languages with all", asks({ ...FULL, ...CHOICE }, types("05023456789")));
// What lies under the list is none of its flaws.
const LIST = { parts: [{ scope: "keypad", axe: false }] };
keypad("the list of the languages", asks({ ...FULL, ...CHOICE }, lists()), LIST);
keypad("another one of the languages", asks({ ...FULL, ...CHOICE }, lists("ar")));
keypad("suggestion", asks(FULL, types(ABROAD)));
keypad("idle", asks({ ...FULL, idleSeconds: 25 }, () => becomes("warning")));
keypad("sending", sends({ gateway: "hangs" }, VALID, "busy"));
keypad("failed", sends({ gateway: "refuses" }, VALID, "failed"));
keypad("sent", ends({}, "send"));
keypad("will be sent", ends({ gateway: "none" }, "send"));
keypad("printing", ends({}, "print"));

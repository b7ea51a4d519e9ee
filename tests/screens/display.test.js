// @engines chromium: only its driver sets the size of the browser's text
// The demo's customer display, as the till drives it over their channel.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMIT } from "../e2e/support/wait.js";
import { direction } from "./support/matrix.js";
import { stage } from "./support/stage.js";

const screens = stage("display");
const TILL = "screens";
const NAME = `till-display-${TILL}`;
const LINES = ["Sourdough loaf", "Baguette", "Soft pretzel", "Cinnamon roll", "Cappuccino"].map((name, at) => ({
  name,
  quantity: at + 1,
  amount: 1295 * (at + 1),
}));
const TOTAL = LINES.reduce((sum, { amount }) => sum + amount, 0);

/** What is in sight here: of more lines than fit, the end of the list. */
const scrolls = ({ percent }) => (percent > 100 ? "all" : "inside");
// Text that is scrolled half out of sight has no background that axe could decide on.
const BODY = { scope: "body", undecided: false };
const display = (name, enter, more) => screens.state(name, { enter, parts: [BODY], scrolls, ...more });

const tell = (message) =>
  screens.run("new BroadcastChannel(arguments[0]).postMessage(arguments[1])", NAME, message);
const shows = (state) =>
  screens.until("return document.body.dataset.state === arguments[0]", `The display never showed "${state}".`, state);

/** The display listens as soon as it has its lock. */
async function opens({ language, theme }, cart) {
  await screens.open(`customer.html#${TILL}`, "return true");
  const holds = `const [name, done] = arguments;
    navigator.locks.query().then(({ held }) => done(held.some((lock) => lock.name === name)));`;
  const isThere = () => screens.window.executeAsyncScript(holds, NAME);
  await screens.window.wait(isThere, LIMIT, "The display never listened.");
  await tell({ type: "show", cart, locale: language, keypad: "ocean", theme });
  const turns = "return document.documentElement.dir === arguments[0]";
  await screens.until(turns, "The display never turned to its language.", direction(language));
}

display("idle", async (view) => {
  await opens(view, null);
  await shows("idle");
});
display("order", async (view) => {
  await opens(view, { lines: LINES, total: TOTAL });
  await shows("cart");
});
const asks = (options) => async (view) => {
  await opens(view, { lines: LINES, total: TOTAL });
  const order = { number: 1041, total: TOTAL, lines: LINES };
  const more = { orderId: "1041", region: "IL", locale: view.language, idleSeconds: 3600, ...options };
  await tell({ type: "ask", ask: "1", order, options: more });
  await shows("ask");
  await screens.until(
    "return document.querySelector('ereceipt-keypad').shadowRoot.querySelector('[part=send]') !== null",
    "The keypad never came.",
  );
};
// Beside the shop's name a phone has room for keys of 48 px. The looks' lines of 1 px may fall between two pixels:
// their colors are compared in `till.test.js`.
const KEYPAD = { leastKey: 48, contrast: 0, parts: [BODY, { scope: "keypad", axe: false }] };
display("keypad", asks({}), KEYPAD);
display("keypad with all", asks({ allowNone: true, languages: ["en", "he", "ar", "es"] }), KEYPAD);
display("thank you", async (view) => {
  await opens(view, null);
  // It says so for 6 seconds.
  await screens.run(`
    const { setTimeout: later } = window;
    window.setTimeout = (act, ms, ...more) => (ms === 6000 ? 0 : later(act, ms, ...more));`);
  await tell({ type: "thanks", outcome: "sent", end: "5678" });
  await shows("thanks");
});

test("display: at 1080×1920 the keypad has half of the width at least, and the order stands above it", async () => {
  const view = { size: [1080, 1920], percent: 100, language: "en", theme: "light" };
  await asks({})(view);
  await screens.dress(view);
  const places = `
    const keypad = document.querySelector("ereceipt-keypad").shadowRoot.querySelector("[part=keypad]");
    const { width, top, bottom } = keypad.getBoundingClientRect();
    const total = document.querySelector("#asked-total").getBoundingClientRect();
    return [width >= innerWidth / 2, bottom <= innerHeight, total.height > 0 && total.bottom <= top];`;
  assert.deepEqual(await screens.run(places), [true, true, true]);
});

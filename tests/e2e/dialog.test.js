// The connect dialog at each size, in each text size, in the languages and colors of the till.
import assert from "node:assert/strict";
import { test } from "node:test";
import { By, until } from "selenium-webdriver";
import { resize } from "./support/browser.js";
import { engine } from "./support/environment.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { becomes, eventually, LIMIT } from "./support/wait.js";

const e2e = session();
const SIZES = [
  [1024, 600],
  [740, 360],
  [360, 640],
];
// Where there is room, an engine's own way of laying out costs nothing.
if (engine() === "chromium") SIZES.push([1280, 800]);

/** What of the dialog sticks out or is too small; at the usual text size, what does not fit without scrolling. */
const flaws = (large) =>
  e2e.window.executeScript(
    `
    const found = [];
    const [dialog, body] = ["dialog", "body"].map((name) => document.querySelector(".pos-connect-" + name));
    const { left, top, right, bottom } = dialog.getBoundingClientRect();
    if (left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5)
      found.push("The dialog sticks out: " + [left, top, right, bottom]);
    if (body.scrollWidth > body.clientWidth) found.push("The dialog scrolls sideways: " + body.scrollWidth);
    if (!arguments[0] && body.scrollHeight > body.clientHeight + 1)
      found.push("The dialog scrolls: " + body.scrollHeight);
    for (const button of dialog.querySelectorAll("button")) {
      const { width, height } = button.getBoundingClientRect();
      if (button.checkVisibility() && (width < 47.5 || height < 47.5)) found.push("Small: " + button.className);
    }
    const frame = document.querySelector(".pos-connect-frame");
    const least = Math.min(240, body.clientHeight);
    if (frame.checkVisibility() && frame.offsetHeight < least) found.push("The frame is low: " + frame.offsetHeight);
    return found;`,
    large,
  );

/** Has the page keep what the card of the connection last showed: it stands for a second and a half. */
const LOOK_AT_CARD = `
  window.lastCard = null;
  const see = () => {
    const card = document.querySelector(".pos-connect-done");
    if (card) {
      const { left, top, right, bottom } = card.getBoundingClientRect();
      const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      window.lastCard = { text: card.innerText, role: card.role, focused: document.activeElement.id, isInside };
    } else if (window.lastCard) window.lastCard.isGone = true;
  };
  // A busy machine may draw no frame while the card is there, and then only a change of the page tells of it.
  new MutationObserver(see).observe(document.body, { childList: true, subtree: true });
  const look = () => (see(), window.lastCard?.isGone || requestAnimationFrame(look));
  look();`;

async function opened(size, { lang = "en", theme = "light", percent = 100 } = {}) {
  // The till itself mounts its frame in a dialog of its own.
  const { till, window } = await e2e.open({ page: "one-call.html" });
  await resize(window, ...size);
  await window.executeScript(
    `const root = document.documentElement;
    root.lang = arguments[0];
    root.dataset.theme = arguments[1];
    root.style.fontSize = arguments[2] + "%";
    const button = document.querySelector("#connect");
    button.focus();
    button.click();`,
    lang,
    theme,
    percent,
  );
  await till.frame.shows("sign-in");
  return { till, window };
}

for (const size of SIZES) {
  for (const percent of [100, 200]) {
    const name = `${size.join("×")}-${percent}`;
    test(`the dialog at ${name} %: nothing sticks out, the frame has its place, the code too`, async () => {
      const { window } = await opened(size, { percent });
      const large = percent > 100;
      await becomes(() => flaws(large), []);
      await screenshot(window, `dialog-${name}`);
      await window.executeScript("document.querySelector('.pos-connect-phone').click()");
      const code = await window.wait(until.elementLocated(By.css(".pos-connect-qr")), LIMIT);
      const { width, height } = await code.getRect();
      assert.ok(Math.abs(width - height) < 1 && height <= size[1] * 0.6 + 1, `${width}×${height}`);
      await becomes(() => flaws(true), []);
      await screenshot(window, `dialog-phone-${name}`);
    });
  }
}

test("the dialog is as tall as the page in it, and never taller than the screen", async () => {
  const { till, window } = await opened([1280, 800]);
  const tall = () => window.executeScript("return document.querySelector('.pos-connect-dialog').offsetHeight");
  const spare = () =>
    till.frame.inside(() =>
      window.executeScript(
        "return innerHeight - Math.ceil(document.querySelector('main').getBoundingClientRect().height)",
      ),
    );
  await becomes(spare, 0, "The sign-in has a void, or scrolls.");
  const signIn = await tall();
  assert.ok(signIn < 736, `${signIn} px`);
  const click = "document.querySelector('.pos-connect-phone').click()";
  await window.executeScript(click);
  await becomes(tall, 736, "The code has no page to follow.");
  await window.executeScript(click);
  await becomes(tall, signIn);
  await till.frame.signIn(e2e.service.settings.account);
  await till.frame.shows("consent");
  await becomes(async () => (await tall()) > signIn && (await tall()) <= 800, true, "The consent is as low.");
});

test("the till's language and colors are the dialog's and the page's, also when they change", async () => {
  const { till, window } = await opened([1280, 800], { lang: "he", theme: "dark" });
  const around = () =>
    window.executeScript(`const { lang, dir, style } = document.querySelector(".pos-connect-dialog");
      return [lang, dir, style.colorScheme];`);
  const inside = () =>
    till.frame.inside(() =>
      window.executeScript(
        `const { lang, dir, dataset } = document.documentElement; return [lang, dir, dataset.theme];`,
      ),
    );
  await becomes(around, ["he", "rtl", "dark"]);
  await becomes(inside, ["he", "rtl", "dark"]);
  await screenshot(window, "dialog-he-dark");
  await window.executeScript("document.documentElement.lang = 'ar'; document.documentElement.dataset.theme = 'light'");
  await becomes(around, ["ar", "rtl", "light"], "The dialog did not follow.");
  // The page's language changes with the next step.
  await becomes(inside, ["he", "rtl", "light"], "The page's colors did not follow.");
  await till.frame.signIn({ ...e2e.service.settings.account, password: "wrong" });
  await till.frame.refusesSignIn();
  await becomes(inside, ["ar", "rtl", "light"]);
  await till.frame.inside(() => till.focuses("password")); // Where the mistake is.
  await screenshot(window, "dialog-ar-wrong");
});

/** Keeps what a screen reader hears: what is written into a live region that was there before. */
const LISTEN = `
  window.heard = [];
  const isNew = (records, region) =>
    records.some(({ addedNodes }) => [...addedNodes].some((added) => added.contains(region)));
  const listen = (records) => {
    for (const { target, addedNodes } of records)
      if (target.getAttribute("aria-live") === "assertive" && !isNew(records, target))
        heard.push(...[...addedNodes].map((added) => added.textContent));
  };
  new MutationObserver(listen).observe(document.body, { childList: true, subtree: true });`;

test("in the frame the focus follows each step, and a wrong password is heard", async () => {
  const { till, window } = await opened([1280, 800]);
  const mistakes = () => window.executeScript("return document.querySelectorAll(':invalid').length");
  await becomes(() => till.frame.inside(mistakes), 0, "Wrong, before it is filled in.");
  await till.frame.inside(() => window.executeScript(LISTEN));
  await till.frame.signIn({ ...e2e.service.settings.account, password: "wrong" });
  const heard = () => till.frame.inside(() => window.executeScript("return heard"));
  await becomes(heard, ["That email and password don't match. Check both and try again."]);
  await till.frame.inside(() => till.focuses("password"));
  await till.frame.signIn(e2e.service.settings.account);
  await till.frame.shows("consent");
  await till.frame.inside(() => till.focuses("main"));
  await screenshot(window, "dialog-consent");
});

test("the end: for a moment the merchant reads who is connected; the focus is back, nothing is held up", async () => {
  const { till, window } = await opened([360, 640]);
  await window.executeScript(LOOK_AT_CARD);
  await till.frame.signIn(e2e.service.settings.account);
  await till.frame.connect({ ereceipts: true });
  const gone = () => window.executeScript("return window.lastCard?.isGone && window.lastCard");
  const { text, role, focused, isInside } = await eventually(gone, "It never came, or it stays.");
  assert.match(text, /Connected\s+\S.*\S\s+E-receipts on$/s);
  assert.deepEqual([role, focused, isInside], ["status", "connect", true]);
  await till.says("#result", /^Connected to /);
});

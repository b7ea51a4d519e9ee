// The same integration goes on elsewhere: by the link, as a phone would open it, or in the window that the dialog
// opens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { By, Key, until } from "selenium-webdriver";
import { resize } from "./support/browser.js";
import { engine } from "./support/environment.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();
const TIMEOUT = 15_000;

/** Opens the dialog and, with the keyboard, the way to a phone; gives the link and the number that the till shows. */
async function reachPhone() {
  const { till, window } = e2e;
  await till.click("#connect");
  await till.frame.shows("sign-in");
  assert.equal(await loads(), 0, "nothing is loaded before it is asked for");
  await window.executeScript("document.querySelector('.pos-connect-phone').focus()");
  await window.actions().sendKeys(Key.ENTER).perform();
  await window.wait(until.elementLocated(By.css(".pos-connect-qr")), TIMEOUT);
  return window.executeScript(`return {
    link: document.querySelector(".pos-connect-link").href,
    code: document.querySelector(".pos-connect-number").textContent,
    focused: document.activeElement.className,
  }`);
}

const loads = () =>
  e2e.window.executeScript(
    "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('elsewhere.js')).length",
  );

/** What the page outside a frame says about the till. */
async function shownCode() {
  const shown = await e2e.window.wait(
    until.elementLocated(By.css("#code strong")),
    TIMEOUT,
    "The page shows no number.",
  );
  return shown.getText();
}

async function shows(page) {
  await e2e.window.wait(
    () =>
      e2e.window.executeScript("return document.body?.dataset.page").then(
        (shown) => shown === page,
        () => false,
      ),
    TIMEOUT,
    `The page never showed "${page}".`,
  );
}

async function signIn({ email, password }) {
  for (const [id, text] of [
    ["email", email],
    ["password", password],
  ])
    await e2e.window.findElement(By.id(id)).sendKeys(text);
  await e2e.window.findElement(By.id("sign-in")).click();
}

// WebKit draws no second tab under automation, and a picture waits for what is drawn.
const picture = engine() === "webkit" ? async () => {} : screenshot;

test("the merchant goes on by the link: both sides show the same number, and the till gets its tokens", async () => {
  const { till, service, window } = await e2e.open();
  const { link, code, focused } = await reachPhone();
  assert.match(code, /^\d{4}$/);
  assert.equal(focused, "pos-connect-elsewhere");
  await till.frame.shows("sign-in").catch(() => assert.fail("The frame lost its page."));
  assert.equal(
    await till.frame.inside(() => window.executeScript("return document.getElementById('code')")),
    null,
    "In the frame there is nothing to compare.",
  );

  const own = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  await window.get(link);
  await shows("sign-in");
  assert.equal(await shownCode(), code);
  for (const [width, height] of [
    [1280, 800],
    [360, 640],
  ]) {
    await resize(window, width, height);
    for (const language of ["en", "he", "ar", "es"]) {
      const spoken = new URL(link);
      spoken.searchParams.set("lang", language);
      await window.get(spoken.href);
      assert.equal(await shownCode(), code);
      assert.ok(await window.executeScript("return document.documentElement.scrollWidth <= innerWidth"));
      await picture(window, `elsewhere-page-${language}-${width}`);
    }
  }
  await window.get(link);
  await signIn(service.settings.account);
  await shows("consent");
  assert.equal(await shownCode(), code);
  await picture(window, "elsewhere-page-consent-360");
  const store = await window.findElement(By.css("input[name=store]"));
  await window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", store);
  await store.click();
  const connect = await window.findElement(By.id("connect"));
  await window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", connect);
  await connect.click();
  await shows("finished");
  await window.close();

  await window.switchTo().window(own);
  await till.says("#connection", /^Connected to \S/);
  await till.isTidy();
  await till.keepsSecrets(service.settings);
});

test("the opened window says the same number, and goes when the merchant has decided there", async () => {
  const { till, window } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  const own = await window.getWindowHandle();
  await till.click(".pos-connect-open-window");
  const opened = await window.wait(
    async () => (await window.getAllWindowHandles()).find((handle) => handle !== own),
    TIMEOUT,
    "No window was opened.",
  );
  const code = await till.text(".pos-connect-number");
  await window.switchTo().window(opened);
  await shows("sign-in");
  assert.equal(await shownCode(), code);
  await window.findElement(By.id("cancel")).click();
  await window.wait(async () => (await window.getAllWindowHandles()).length === 1, TIMEOUT, "The window stayed.");
  await window.switchTo().window(own);
  assert.ok(await till.step("cancelled"));
  await till.isTidy();
});

test("the panel: everything in sight or to be scrolled to, in both directions, and Escape closes all of it", async () => {
  for (const [width, height] of [
    [1280, 800],
    [360, 640],
  ]) {
    for (const direction of ["ltr", "rtl"]) {
      const { till, window } = await e2e.open({ size: [width, height] });
      await window.executeScript("document.documentElement.dir = arguments[0]", direction);
      await window.executeScript(
        "document.querySelector('#views [data-view=order]')?.checkVisibility() && document.querySelector('#connect').scrollIntoView()",
      );
      await reachPhone();
      await screenshot(window, `elsewhere-${width}-${direction}`);
      const flaws = await window.executeScript(`
        const found = [];
        const dialog = document.querySelector("dialog").getBoundingClientRect();
        for (const element of document.querySelectorAll("dialog :is(button, svg, a)")) {
          if (!element.checkVisibility()) continue;
          const { left, right, width, height } = element.getBoundingClientRect();
          const name = element.getAttribute("class");
          if (left < dialog.left || right > dialog.right)
            found.push(name + " sticks out: " + [left, right, dialog.left, dialog.right]);
          if (element.localName === "button" && (height < 43.5 || width < 43.5))
            found.push(name + " is small: " + width + "×" + height);
        }
        for (const way of document.querySelectorAll(".pos-connect-ways button"))
          if (way.getBoundingClientRect().bottom > dialog.bottom)
            found.push("out of sight: " + way.textContent);
        const panel = document.querySelector(".pos-connect-elsewhere");
        if (panel.scrollWidth > panel.clientWidth) found.push("The panel scrolls sideways.");
        if (panel.clientHeight < 150) found.push("The panel is too low: " + panel.clientHeight);
        return found;`);
      assert.deepEqual(flaws, [], `${width}×${height} ${direction}`);
      await window.actions().sendKeys(Key.ESCAPE).perform();
      await till.rests();
      await till.isTidy();
    }
  }
});

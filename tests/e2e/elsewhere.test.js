// The same integration goes on elsewhere: by the link, as a phone would open it, or in the window that the dialog
// opens.
import assert from "node:assert/strict";
import { test } from "node:test";
import { By, Key, until } from "selenium-webdriver";
import { Merchant } from "./support/merchant.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { becomes, eventually, LIMIT } from "./support/wait.js";

const e2e = session();

/** Opens the dialog and, with the keyboard, the way to a phone; gives the link and the number that the till shows. */
async function reachPhone() {
  const { till, window } = e2e;
  await till.click("#connect");
  await till.frame.shows("sign-in");
  assert.equal(await loads(), 0, "nothing is loaded before it is asked for");
  await window.executeScript("document.querySelector('.pos-connect-phone').focus()");
  await window.actions().sendKeys(Key.ENTER).perform();
  await window.wait(until.elementLocated(By.css(".pos-connect-qr")), LIMIT);
  await till.holds("return document.activeElement.className", "pos-connect-elsewhere");
  return window.executeScript(`return {
    link: document.querySelector(".pos-connect-link").href,
    code: document.querySelector(".pos-connect-number").textContent,
  }`);
}

const loads = () =>
  e2e.window.executeScript(
    "return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('elsewhere.js')).length",
  );

/** Waits until the page outside of the frame says the till's number. */
const saysCode = (code) => e2e.till.says("#code strong", code);
const merchant = new Merchant(e2e);

test("the merchant goes on by the link: both sides show the same number, and the till gets its tokens", async () => {
  const { till, service, window } = await e2e.open();
  const { link, code } = await reachPhone();
  assert.match(code, /^\d{4}$/);
  await till.frame.shows("sign-in");
  // In the frame there is nothing to compare.
  await till.frame.inside(() => till.holds("return document.getElementById('code')", null));

  await till.says(".pos-connect-waiting", "Waiting for your phone…");
  const own = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  await window.get(link);
  await merchant.shows("sign-in");
  await saysCode(code);
  const other = await window.getWindowHandle();
  await window.switchTo().window(own);
  await till.says(".pos-connect-waiting", "Opened on your phone. Finish there.");
  await window.switchTo().window(other);
  await merchant.signIn(service.settings.account.email, service.settings.account.password);
  await merchant.shows("consent");
  await saysCode(code);
  await merchant.choose();
  await merchant.press("#connect");
  await merchant.shows("finished");
  await window.close();

  await window.switchTo().window(own);
  await till.says("#connection", "Connected to Demo Bakery, Market Street");
  await till.isTidy();
  await till.keepsSecrets(service.settings);
});

test("the opened window says the same number, and goes when the merchant has decided there", async () => {
  const { till, window } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  const own = await window.getWindowHandle();
  await till.click(".pos-connect-open-window");
  const other = async () => (await window.getAllWindowHandles()).find((handle) => handle !== own);
  const opened = await eventually(other, "No window was opened.");
  const code = await till.says(".pos-connect-number", /^\d{4}$/);
  await window.switchTo().window(opened);
  await merchant.shows("sign-in");
  await saysCode(code);
  // The window may go before the driver has answered the press.
  await merchant.press("#cancel").catch((error) => assert.equal(error.name, "NoSuchWindowError"));
  await becomes(() => window.getAllWindowHandles(), [own], "The window stayed.");
  await window.switchTo().window(own);
  await till.step("cancelled");
  await till.isTidy();
});

test("the panel: everything in sight or to be scrolled to, in both directions; Escape closes all", async () => {
  for (const [width, height] of [
    [1280, 800],
    [360, 640],
  ]) {
    for (const direction of ["ltr", "rtl"]) {
      const { till, window } = await e2e.open({ size: [width, height] });
      await window.executeScript("document.documentElement.dir = arguments[0]", direction);
      await window.executeScript(
        `document.querySelector("#views [data-view=order]")?.checkVisibility() &&
      document.querySelector("#connect").scrollIntoView()`,
      );
      await reachPhone();
      await screenshot(window, `elsewhere-${width}-${direction}`);
      const flaws = `
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
        return found;`;
      await till.holds(flaws, [], `${width}×${height} ${direction}`);
      await window.actions().sendKeys(Key.ESCAPE).perform();
      await till.rests();
      await till.isTidy();
    }
  }
});

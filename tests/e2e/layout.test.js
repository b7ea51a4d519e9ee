import assert from "node:assert/strict";
import { test } from "node:test";
import { resize } from "./support/browser.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();
const SIZES = [
  [1280, 800],
  [360, 640],
];
const PAGES = ["", "one-call.html", "step-by-step.html"];

/** What sticks out of the page, and what is too small to be hit with a finger. */
const flaws = () =>
  e2e.window.executeScript(`
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const name = (element) => element.localName + (element.id && "#" + element.id) + " " + element.textContent.trim().slice(0, 20);
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("The page scrolls sideways: " + document.documentElement.scrollWidth);
  for (const button of document.querySelectorAll("button")) {
    const { width, height } = button.getBoundingClientRect();
    if (visible(button) && (width < 47.5 || height < 47.5)) found.push("Small: " + name(button) + " " + width + "×" + height);
  }
  return found;`);

for (const [width, height] of SIZES) {
  for (const page of PAGES) {
    for (const direction of ["ltr", "rtl"]) {
      for (const theme of ["light", "dark"]) {
        const title = `${page || "the till"} at ${width}×${height}, ${direction}, ${theme}`;
        test(`${title}: nothing sticks out, everything can be hit`, async () => {
          const { till, window } = await e2e.open({ page, size: [width, height] });
          await window.executeScript(
            "document.documentElement.dir = arguments[0]; document.documentElement.dataset.theme = arguments[1]",
            direction,
            theme,
          );
          assert.deepEqual(await flaws(), []);
          await window.executeScript("for (const details of document.querySelectorAll('details')) details.open = true");
          assert.deepEqual(await flaws(), []);
          await screenshot(window, `${page.replace(".html", "") || "till"}-${width}-${direction}-${theme}`);
        });
      }
    }
  }
}

test("at 360×640 the till shows one part at a time, and connects", async () => {
  const { till, window, service } = e2e;
  await resize(window, 360, 640);
  await till.reopen();
  await till.click("#products button");
  for (const view of ["order", "flow", "sale"]) {
    await till.click(`#views [data-view=${view}]`);
    assert.ok(await till.element(`#${view}`).isDisplayed());
    assert.deepEqual(await flaws(), []);
    await screenshot(window, `view-${view}`);
  }
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await screenshot(window, "sign-in-360");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await screenshot(window, "consent-360");
  await till.frame.connect();
  await till.says("#connection", /^Connected to /);
});

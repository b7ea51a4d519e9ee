import assert from "node:assert/strict";
import { test } from "node:test";
import { resize } from "./support/browser.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();
const TIMEOUT = 15_000;
const SIZES = [
  [1280, 800],
  [360, 640],
];
const FOUR = [
  [360, 640],
  [740, 360],
  [1024, 600],
  [1280, 800],
];
const PAGES = ["", "one-call.html", "step-by-step.html"];

/** What sticks out of the page, and what is too small to be hit with a finger. */
const flaws = () =>
  e2e.window.executeScript(`
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const name = (element) => element.localName + (element.id && "#" + element.id) + " " + element.textContent.trim().slice(0, 20);
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push("The page scrolls sideways: " + document.documentElement.scrollWidth);
  for (const button of document.querySelectorAll("button")) {
    const { width, height } = button.getBoundingClientRect();
    if (visible(button) && (width < 47.5 || height < 47.5))
      found.push("Small: " + name(button) + " " + width + "×" + height);
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

/** Five lines in the order, as from five taps. */
const LINES = `for (const button of [...document.querySelectorAll("#products button")].slice(0, 5)) button.click();`;

/** What should be in sight and is not, what is covered, and whose text is cut. */
const hidden = (...ids) =>
  e2e.window.executeScript(
    `
  const found = [];
  const visible = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const name = (element) => element.id || element.textContent.trim().slice(0, 20);
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight)
    found.push("The page scrolls: " + root.scrollWidth + "×" + root.scrollHeight);
  const wanted = [...arguments[0].map((id) => document.getElementById(id)), ...document.querySelectorAll("#views button")].filter(visible);
  for (const element of wanted) {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight)
      found.push("out of sight: " + name(element) + " " + [left, right, top, bottom]);
    if (!element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)))
      found.push("covered: " + name(element));
  }
  for (const element of document.querySelectorAll("button, h1, h2, .connection, .totals dd")) {
    if (!visible(element) || element.matches(".visually-hidden")) continue;
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
      found.push("cut: " + name(element) + " " + element.scrollWidth + " in " + element.clientWidth);
    const { left, right } = element.getBoundingClientRect();
    if (!element.closest(".categories") && (left < -0.5 || right > innerWidth + 0.5))
      found.push("sticks out: " + name(element));
  }
  return found;`,
    ids,
  );

/** The last of the lines can be scrolled to, above what stays at the end. */
const lastLine = () =>
  e2e.window.executeScript(`
  const line = document.querySelector("#lines").lastElementChild;
  line.scrollIntoView({ block: "nearest" });
  const button = line.querySelector(".more");
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));`);

for (const [width, height] of FOUR) {
  for (const percent of [100, 200]) {
    for (const direction of ["ltr", "rtl"]) {
      test(`five lines at ${width}×${height}, text ${percent} %, ${direction}: Charge and the ways are in sight`, async () => {
        const { till, window } = await e2e.open({ size: [width, height] });
        await window.executeScript(
          `document.documentElement.style.fontSize = arguments[0] + "%"; document.documentElement.dir = arguments[1]; ${LINES}`,
          percent,
          direction,
        );
        for (const view of ["sale", "order", "flow"]) {
          await window.executeScript("document.querySelector(arguments[0]).click()", `#views [data-view=${view}]`);
          await screenshot(window, `five-lines-${width}x${height}-${percent}-${direction}-${view}`);
          assert.deepEqual(await hidden("connect", "theme", "charge"), [], view);
        }
        await window.executeScript("document.querySelector('#views [data-view=order]').click()");
        assert.ok(await till.element("#charge").isDisplayed());
        assert.ok(await lastLine(), "The last line cannot be reached.");
      });
    }
  }
}

test("outlines of controls have a contrast of 3:1 to what is around them, text one of 4.5:1", async () => {
  const { window } = await e2e.open();
  for (const theme of ["light", "dark"]) {
    await window.executeScript("document.documentElement.dataset.theme = arguments[0]", theme);
    const faint = await window.executeScript(`
      const probe = document.body.appendChild(document.createElement("i"));
      const luminance = (name) => {
        probe.style.color = "var(" + name + ")";
        const [red, green, blue] = getComputedStyle(probe).color.match(/[0-9.]+/g).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const contrast = (...names) => {
        const [dark, light] = names.map(luminance).sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
      };
      const found = [];
      for (const [front, least] of [["--edge", 3], ["--accent", 4.5], ["--ink", 4.5], ["--soft", 4.5]])
        for (const back of ["--paper", "--card", "--tint", "--wash"])
          if (contrast(front, back) < least)
            found.push(front + " on " + back + ": " + contrast(front, back).toFixed(2));
      probe.style.color = "var(--edge)";
      const outline = getComputedStyle(probe).color;
      for (const control of document.querySelectorAll(".product, .categories [aria-pressed=false], .quantity .icon, .two-lines, .choices"))
        if (getComputedStyle(control).borderTopColor !== outline) found.push("another outline: " + control.className);
      probe.remove();
      return found;`);
    assert.deepEqual(faint, [], theme);
  }
});

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

for (const size of FOUR) {
  for (const percent of [100, 200]) {
    test(`the till's connect dialog at ${size.join("×")}, text ${percent} %: it begins at its title, and Sign in is in sight`, async () => {
      const { till, window } = await e2e.open({ size });
      await window.executeScript("document.documentElement.style.fontSize = arguments[0] + '%'", percent);
      await till.click("#connect");
      // Not by looking into the frame: the driver scrolls to it.
      const isThere = () =>
        window.executeScript("return document.querySelector('.pos-connect-loading')?.checkVisibility() === false");
      await window.wait(isThere, TIMEOUT, "The connect page never came.");
      await screenshot(window, `till-dialog-${size.join("x")}-${percent}`);
      const [above, top, bottom] = await window.executeScript(`
        const { top, bottom } = document.querySelector(".pos-connect-frame").getBoundingClientRect();
        return [document.querySelector(".connect-dialog").scrollTop, top, bottom];`);
      assert.equal(above, 0, "The dialog begins at its title.");
      assert.ok(top >= 0 && (percent > 100 || bottom <= size[1]), `The frame is cut: ${top} to ${bottom}`);
      const [scrolled, button, height] = await till.frame.inside(() =>
        window.executeScript(
          "return [scrollY, document.getElementById('sign-in').getBoundingClientRect().bottom, document.documentElement.clientHeight]",
        ),
      );
      assert.equal(scrolled, 0, "The page begins at its title.");
      if (percent === 100) assert.ok(button <= height + 1, `Sign in ends at ${button} of ${height}`);
    });
  }
}

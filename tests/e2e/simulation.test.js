// The demo till over the simulated service, as the site's "Try it" shows it: from a plain static server, in a
// subfolder.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { By } from "selenium-webdriver";
import { serve } from "../package/site.js";
import { openBrowser, resize } from "./support/browser.js";
import { pathFrom } from "./support/environment.js";
import { testInChromium } from "./support/in-chromium.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { Till } from "./support/till.js";
import { becomes, reads } from "./support/wait.js";

const LIMIT = { timeout: 540_000 };
const ACCOUNT = { email: "merchant@bakery.example", password: "any" };
const CONNECTED = "Connected to Corner Bakery, Market Street";

let site, browser, window, till, keypad;
before(async () => {
  site = await serve(pathFrom("POS_SIMULATION_DIR"));
  browser = await openBrowser();
  window = browser.window;
  till = new Till(window, `${site.url}try/till/`, enter);
  keypad = new Keypad(window);
  await resize(window, 1280, 800);
}, LIMIT);
after(async () => {
  await browser?.close();
  await site?.close();
}, LIMIT);

/** Puts the till's page in focus. */
async function enter() {
  await window.switchTo().defaultContent();
  await window.switchTo().frame(await window.findElement(By.css("iframe")));
}

/** Opens a page of the simulation, and waits until its till is ready. */
async function open(page = "") {
  await window.get(`${site.url}try/${page}`);
  const state = () => window.executeScript("return document.body.dataset.state");
  await becomes(state, "ready", "The till was never shown.");
  await enter();
  await till.holds("return document.documentElement.dataset.ready === ''", true, "The till was never ready.");
}

const mark = () => window.executeScript("return document.querySelector('.mark').innerText");

async function sell() {
  await till.sell(keypad, "2025550123");
  await till.says(".sms .text", /^Your receipt: http\S+$/);
}

test("at first sight: connect, an order, the keypad, a message with a link to the receipt", LIMIT, async () => {
  await open();
  await till.says("#mode", "Through a relay: this page has no secret and no token.");
  await till.click("#connect");
  await till.frame.signIn(ACCOUNT);
  await till.frame.connect({ ereceipts: true });
  await till.says("#connection", CONNECTED);
  await sell();
  await screenshot(window, "simulation");
  const link = await till.element(".sms a").getAttribute("href");
  await window.get(link);
  await becomes(() => window.executeScript("return document.body.dataset.state"), "ready");
  await reads("The frame around it", mark, /^Simulation/);
  await enter();
  await till.says("h1", "Corner Bakery");
  await till.says("tfoot", /^Total ?\$\d/);
});

test("the customer's display, in a window of its own, is marked, too", LIMIT, async () => {
  await open();
  await till.click("#panel");
  const own = await window.getWindowHandle();
  await till.click("#open-display");
  await till.says("#display-state", "The customer display is open.");
  const opened = (await window.getAllWindowHandles()).find((handle) => handle !== own);
  await window.switchTo().window(opened);
  await reads("The frame around it", mark, /^Simulation/);
  await window.close();
  await window.switchTo().window(own);
});

testInChromium("an error that the till provokes has the code that it announces", LIMIT, async () => {
  await open();
  for (const code of ["unauthorized", "invalid_client", "not_finished", "integration_cancelled"]) {
    await till.provoke(code);
    await till.step(code);
    await till.rests();
  }
});

test("after a reload and without any network, the till is connected and sells", LIMIT, async () => {
  await site.close();
  const { requests } = site;
  const before = requests().length;
  await open();
  await till.says("#connection", CONNECTED);
  await sell();
  await window.get(`${site.url}try/configurator.html`);
  await becomes(() => window.executeScript("return document.documentElement.dataset.ready === ''"), true);
  assert.equal(requests().length, before);
});

testInChromium("the keypad and the code follow what is clicked in the configurator", LIMIT, async () => {
  const choose = (name, value) =>
    window.executeScript(
      `const control = document.querySelector("form").elements[arguments[0]];
      control.focus();
      if (control.type === "checkbox") control.checked = arguments[1];
      else control.value = arguments[1];
      control.dispatchEvent(new Event("change", { bubbles: true }));`,
      name,
      value,
    );
  const sample = (expected) =>
    reads("The sample", () => window.executeScript("return document.getElementById('sample').textContent"), expected);
  await choose("locale", "he");
  await choose("allowNone", true);
  await sample(/region: "US",\n  locale: "he",\n  container: "#place",\n  allowNone: true,/);
  await keypad.says("title", /[\u05d0-\u05ea]/);
  await keypad.holds("return Boolean(find('none'))", true);
  await choose("--ereceipt-radius", "24px");
  await sample(/ereceipt-keypad \{\n  --ereceipt-radius: 24px;\n\}/);
  await till.holds("return document.activeElement.name", "--ereceipt-radius", "The keypad took the focus.");
});

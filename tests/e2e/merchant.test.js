// The pages that merchants see, in a window of their own: the way through the consent, and what is connected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { By, until } from "selenium-webdriver";
import { violations } from "./support/axe.js";
import { resize } from "./support/browser.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();
const TIMEOUT = 15_000;
const LOOKS = [
  ["en", 1280, 800],
  ["he", 360, 640],
  ["ar", 740, 360],
];

/** The link of an integration that nobody has decided yet. */
async function link(language) {
  const { connectUrl, clientId, clientSecret } = e2e.service.settings;
  const create = new URL("/v1/auth/integration", connectUrl);
  create.search = new URLSearchParams({ client_id: clientId, client_secret: clientSecret });
  const { integrationToken } = await (await fetch(create, { method: "POST" })).json();
  return `${connectUrl}?${new URLSearchParams({ client_id: clientId, integration_token: integrationToken, lang: language })}`;
}

async function shows(page) {
  await e2e.window.wait(
    () =>
      e2e.window.executeScript("return document.readyState === 'complete' && document.body?.dataset.page").then(
        (shown) => shown === page,
        () => false,
      ),
    TIMEOUT,
    `The page never showed "${page}".`,
  );
}

const find = (css) => e2e.window.findElement(By.css(css));
const focused = () =>
  e2e.window.executeScript("return document.activeElement.id || document.activeElement.localName");

async function press(css) {
  const button = await find(css);
  await e2e.window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", button);
  await button.click();
}

async function signIn(email, password) {
  for (const [id, text] of [
    ["email", email],
    ["password", password],
  ]) {
    const field = await find(`#${id}`);
    await field.clear();
    await field.sendKeys(text);
  }
  await press("#sign-in");
}

/** What sticks out, what is too small for a finger, and what of `inSight` is below the fold. */
const flaws = (inSight = "") =>
  e2e.window.executeAsyncScript(
    `
    const [inSight, done] = arguments;
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("The page scrolls sideways.");
    for (const one of document.querySelectorAll("button, summary, select, .field input, .choice, .links a")) {
      const { width, height } = one.getBoundingClientRect();
      if (one.checkVisibility() && height < 47.5) found.push("Small: " + one.textContent.trim() + " " + width + "×" + height);
    }
    scrollTo(0, 0);
    // WebKit moves what is sticky with the next picture.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const needed = inSight && document.querySelector(inSight).getBoundingClientRect();
      if (needed && (needed.top < 0 || needed.bottom > innerHeight + 0.5)) found.push("Below the fold: " + inSight);
      done(found);
    }));`,
    inSight,
  );

async function judge(name, inSight) {
  assert.deepEqual(await flaws(inSight), [], name);
  // Text below the actions, which stay in sight, has no background that axe could decide on.
  assert.deepEqual(await violations(e2e.window, "body", { undecided: false }), [], name);
  await screenshot(e2e.window, `merchant-${name}`);
}

for (const [language, width, height] of LOOKS) {
  test(`the way to a connection, ${language}, ${width}×${height}: in sight, in order, and axe finds nothing`, async () => {
    const { window, service } = await e2e.open({ size: [width, height] });
    const { email, password } = service.settings.account;
    await window.get(await link(language));
    await resize(window, width, height);
    await shows("sign-in");
    assert.equal(await focused(), "body", "Before a form was sent, the focus is nobody's.");
    await judge(`sign-in-${language}`);

    const field = await find("#password");
    await press(".reveal");
    assert.equal(await field.getAttribute("type"), "text");
    await press(".reveal");
    assert.equal(await field.getAttribute("type"), "password");

    await signIn(email, "wrong");
    await window.wait(until.elementLocated(By.id("sign-in-error")), TIMEOUT);
    await shows("sign-in");
    assert.equal(await focused(), "password");
    await judge(`wrong-${language}`);

    await signIn(email, password);
    await shows("consent");
    assert.equal(await focused(), "h1");
    assert.deepEqual(await window.findElements(By.css("input[name=store]:checked")), []);
    await judge(`consent-${language}`, "#connect");

    // Without a store the browser sends nothing.
    await press("#connect");
    await shows("consent");
    const store = await find(".choice:has([name=store])");
    const name = await store.getText();
    await window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", store);
    await store.click();
    assert.ok((await find("#connect").getText()).includes(name));
    await judge(`chosen-${language}`, "#connect");
    await press("#connect");
    await shows("finished");
    assert.equal(await focused(), "h1");
    await judge(`finished-${language}`);
  });

  test(`what is connected, ${language}, ${width}×${height}: the merchant ends it, and axe finds nothing`, async () => {
    const { till, window, service } = await e2e.open({ size: [1280, 800] });
    const { email, password } = service.settings.account;
    await till.click("#connect");
    await till.frame.signIn(service.settings.account);
    await till.frame.connect();
    await till.says("#connection", /^Connected to /);

    await window.get(`${new URL("/connections", service.settings.connectUrl)}?lang=${language}`);
    await resize(window, width, height);
    await shows("sign-in");
    await judge(`connections-sign-in-${language}`);
    await signIn(email, password);
    await shows("connections");
    assert.equal(await focused(), "h1");
    await window.executeScript("document.querySelector('details').open = true");
    await judge(`connections-${language}`);
    const before = (await window.findElements(By.css("details"))).length;
    await press("details button");
    await window.wait(until.elementLocated(By.id("notice")), TIMEOUT);
    assert.equal((await window.findElements(By.css("details"))).length, before - 1);
    await judge(`disconnected-${language}`);
  });
}

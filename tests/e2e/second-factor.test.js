// @engines chromium: plain forms of the service; connect.test.js goes through them in every engine
// Two-step sign-in: turned on at the list of connections, asked for there, in the till's frame and on a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import jsQR from "jsqr";
import { By, until } from "selenium-webdriver";
import { codeOf } from "./support/authenticator.js";
import { resize } from "./support/browser.js";
import { link, Merchant } from "./support/merchant.js";
import { pixels, screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { becomes, LIMIT } from "./support/wait.js";

const e2e = session();
const merchant = new Merchant(e2e);
const LOOKS = [
  ["en", 360, 640],
  ["he", 360, 640],
  ["ar", 740, 360],
  ["es", 1280, 800],
];

const connections = (service, language) => `${new URL("/connections", service.settings.connectUrl)}?lang=${language}`;
const enter = async (code, button) => {
  await merchant.fill({ "one-time-code": code });
  await merchant.press(button);
};

/** What an app reads from the picture. */
async function scanned(window) {
  const { data, width, height } = pixels(Buffer.from(await window.takeScreenshot(), "base64"));
  return new URL(jsQR(new Uint8ClampedArray(data), width, height).data);
}

let key;
let recovery;

for (const [language, width, height] of LOOKS) {
  test(`the key is shown to the merchant, ${language}, ${width}×${height}: axe finds nothing`, async () => {
    const { window, service } = await e2e.open({ size: [width, height] });
    const { email, password } = service.settings.account;
    await window.get(connections(service, language));
    await resize(window, width, height);
    await merchant.signIn(email, password);
    await merchant.shows("connections");
    await merchant.judge(`second-factor-off-${language}`);
    await merchant.press("section summary");
    await merchant.fill({ password: "wrong" });
    await merchant.press("#set-up");
    await window.wait(until.elementLocated(By.id("code-error")), LIMIT);
    await merchant.focuses("password");
    await merchant.judge(`own-password-${language}`);
    await merchant.fill({ password });
    await merchant.press("#set-up");
    await merchant.shows("second-factor");
    await merchant.hears();
    key = await merchant.find("#key").getText();
    assert.match(key, /^([A-Z2-7]{4} ?){8}$/);
    await merchant.judge(`set-up-${language}`);
    const { href, searchParams } = await scanned(window);
    assert.ok(href.startsWith(`otpauth://totp/Northwind%20Ads:${encodeURIComponent(email)}?`), "what an app shows");
    assert.equal(searchParams.get("secret"), key.replaceAll(" ", ""));
    assert.equal(searchParams.get("issuer"), "Northwind Ads");
    if (language !== "es") {
      await merchant.press("#cancel");
      return merchant.shows("connections");
    }
    await enter("000000", "#turn-on");
    await window.wait(until.elementLocated(By.id("code-error")), LIMIT);
    await merchant.focuses("one-time-code");
    assert.equal(await merchant.find("#key").getText(), key);
    await enter(codeOf(key, 0), "#turn-on");
    await merchant.shows("recovery-codes");
    await merchant.hears();
    await merchant.judge("recovery-codes");
    recovery = (await merchant.find(".recovery-codes").getText()).split("\n");
    assert.equal(recovery.length, 10);
    await merchant.press("#kept");
    await merchant.shows("connections");
  });
}

test("the till's frame asks for the code, which the till never sees", async () => {
  const { till, window, service } = await e2e.open({ size: [1280, 800] });
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("second-step");
  const code = codeOf(key, 1);
  await screenshot(window, "second-step-frame");
  await till.frame.inside(async () => {
    await merchant.focuses("one-time-code");
    await enter(`${code.slice(0, 3)} ${code.slice(3)}`, "#sign-in");
  });
  await till.frame.shows("consent");
  await till.frame.connect({ ereceipts: false });
  await till.says("#connection", /^Connected to /);
  await till.isTidy();
  await till.keepsSecrets(service.settings);
});

for (const [language, width, height] of LOOKS) {
  test(`on a phone and at the list, ${language}, ${width}×${height}: in sight, and axe finds nothing`, async () => {
    const { window, service } = await e2e.open({ size: [width, height] });
    const { email, password } = service.settings.account;
    await window.get(await link(service.settings, { lang: language }));
    await resize(window, width, height);
    await merchant.shows("sign-in");
    await merchant.signIn(email, password);
    await merchant.shows("second-step");
    await merchant.focuses("one-time-code");
    await merchant.isFlawless();
    await merchant.judge(`second-step-${language}`, "#sign-in");
    await enter("000000", "#sign-in");
    await window.wait(until.elementLocated(By.id("code-error")), LIMIT);
    await merchant.focuses("one-time-code");
    await merchant.judge(`wrong-code-${language}`, "#sign-in");
    await enter(recovery.pop(), "#sign-in");
    await merchant.shows("consent");

    await window.get(connections(service, language));
    await merchant.signIn(email, password);
    await merchant.shows("second-step");
    await merchant.press("#cancel");
    await merchant.shows("sign-in");
    await merchant.signIn(email, password);
    await merchant.shows("second-step");
    await enter(recovery.pop(), "#sign-in");
    await merchant.shows("connections");
    await merchant.hears();
    await window.executeScript("document.querySelector('section details').open = true");
    await merchant.judge(`second-factor-on-${language}`);
    await enter("000000", "#turn-off");
    await window.wait(until.elementLocated(By.id("code-error")), LIMIT);
    await becomes(() => merchant.find("section details").getAttribute("open"), "true");
  });
}

test("a code turns it off", async () => {
  const { window, service } = e2e;
  await window.executeScript("document.querySelector('section details').open = true");
  await enter(recovery.pop(), "#turn-off");
  await becomes(async () => (await window.findElements(By.id("set-up"))).length, 1);
  await merchant.press("#sign-out");
  await merchant.shows("sign-in");
  const { email, password } = service.settings.account;
  await merchant.signIn(email, password);
  await merchant.shows("connections");
});

// @engines chromium: the other drivers have no virtual authenticator
// A passkey of an account with two-step sign-in: added at the list of connections, and used in the place of a code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { By, Key } from "selenium-webdriver";
import { addDevice, codeOf } from "./support/authenticator.js";
import { resize } from "./support/browser.js";
import { link, Merchant } from "./support/merchant.js";
import { session } from "./support/session.js";
import { becomes } from "./support/wait.js";

const e2e = session();
const merchant = new Merchant(e2e);
const LOOKS = [
  ["en", 1280, 800],
  ["he", 360, 640],
];

const FRAME = `
    const frame = document.createElement("iframe");
    [frame.src, frame.allow] = arguments;
    frame.style = "position: fixed; inset: 0; inline-size: 100%; block-size: 100%; z-index: 9; background: Canvas";
    document.body.append(frame);
    return frame;`;

/** At a name: no browser has passkeys for an IP address. */
function atName(url) {
  const named = new URL(url);
  named.hostname = "localhost";
  return named.href;
}
const connections = ({ settings }, language) => atName(new URL(`/connections?lang=${language}`, settings.connectUrl));
const openDetails = () => e2e.window.executeScript("document.querySelector('section details').open = true");
/** The authenticator of the window. */
let device;
const listed = async () => (await e2e.window.findElements(By.css("[value=passkey-off]"))).length;

test("a merchant turns two-step sign-in on, and adds a passkey", async () => {
  const { window, service } = await e2e.open();
  device = await addDevice(window);
  const { email, password } = service.settings.account;
  await window.get(connections(service, "en"));
  await merchant.signIn(email, password);
  await merchant.shows("connections");
  await openDetails();
  await merchant.fill({ password });
  await merchant.press("#set-up");
  await merchant.shows("second-factor");
  const key = await merchant.find("#key").getText();
  await merchant.fill({ "one-time-code": codeOf(key, 0) });
  await merchant.press("#turn-on");
  await merchant.shows("recovery-codes");
  await merchant.press("#kept");
  await merchant.shows("connections");
  await openDetails();
  await merchant.judge("passkey-none");
  // Enter uses no code up: there are several things that it may be for.
  await merchant.fill({ "one-time-code": codeOf(key, 1) + Key.ENTER });
  await merchant.press("#add-passkey");
  await merchant.shows("passkey");
  await merchant.hears();
  await merchant.judge("passkey-add");
  await merchant.press("#make");
  await merchant.shows("connections");
  assert.equal(await merchant.find("#notice").getText(), "The passkey is added.");
  assert.equal(await listed(), 1);
  const name = await merchant.find("[value=passkey-off]").getAccessibleName();
  assert.match(name, /^Remove Passkey 1 Added: \w+ \d+, \d{4}/);
  await merchant.press("#sign-out");
  await merchant.shows("sign-in");
});

test("in another site's frame it is offered with that site's permission alone", async () => {
  const { window, service } = e2e;
  const { email, password } = service.settings.account;
  // The till's own policy has the service's address, and not its name.
  await window.sendDevToolsCommand("Page.setBypassCSP", { enabled: true });
  for (const [allow, isOffered] of Object.entries({ "": false, "publickey-credentials-get": true })) {
    await window.get(service.tillUrl);
    const frame = await window.executeScript(FRAME, atName(await link(service.settings)), allow);
    await window.switchTo().frame(frame);
    await merchant.shows("sign-in");
    await merchant.signIn(email, password);
    await merchant.shows("second-step");
    assert.equal(await merchant.find("#use-passkey").isDisplayed(), isOffered, allow);
    if (isOffered) {
      await merchant.press("#use-passkey");
      await merchant.shows("consent");
    }
    await window.switchTo().defaultContent();
  }
  await window.sendDevToolsCommand("Page.setBypassCSP", { enabled: false });
});

for (const [language, width, height] of LOOKS) {
  test(`it stands for the code, ${language}, ${width}×${height}: axe finds nothing`, async () => {
    const { window, service } = e2e;
    const { email, password } = service.settings.account;
    await resize(window, width, height);
    await window.get(atName(await link(service.settings, { lang: language })));
    await merchant.signIn(email, password);
    await merchant.shows("second-step");
    await merchant.focuses("one-time-code");
    await merchant.judge(`passkey-step-${language}`, "#use-passkey");
    await merchant.press("#use-passkey");
    await merchant.shows("consent");
    await window.get(connections(service, language));
    await merchant.signIn(email, password);
    await merchant.shows("second-step");
    await merchant.press("#use-passkey");
    await merchant.shows("connections");
    await openDetails();
    await merchant.judge(`passkey-listed-${language}`);
  });
}

test("where the browser gives none, the page says so", async () => {
  const { window, service } = e2e;
  const { email, password } = service.settings.account;
  await merchant.press("#sign-out");
  await merchant.shows("sign-in");
  await merchant.signIn(email, password);
  await merchant.shows("second-step");
  await device.answers(false);
  await merchant.press("#use-passkey");
  await becomes(async () => (await window.findElements(By.css("#no-passkey[role=alert]"))).length, 1);
  await merchant.focuses("use-passkey");
  await merchant.judge("passkey-none-given");
  await device.answers(true);
  await merchant.press("#use-passkey");
  await merchant.shows("connections");
});

test("it is removed, and the code remains", async () => {
  const { window, service } = e2e;
  const { email, password } = service.settings.account;
  await merchant.press("[value=passkey-off]");
  await becomes(listed, 0);
  await merchant.press("#sign-out");
  await merchant.shows("sign-in");
  await merchant.signIn(email, password);
  await merchant.shows("second-step");
  assert.equal((await window.findElements(By.id("use-passkey"))).length, 0);
});

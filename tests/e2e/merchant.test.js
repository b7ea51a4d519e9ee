// @engines chromium: plain forms of the service; connect.test.js goes through them in every engine
// The pages that merchants see, in a window of their own: the way through the consent, and what is connected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { By, until } from "selenium-webdriver";
import { resize } from "./support/browser.js";
import { link, Merchant } from "./support/merchant.js";
import { session } from "./support/session.js";
import { becomes, LIMIT } from "./support/wait.js";

const e2e = session();
const LOOKS = [
  ["en", 1280, 800],
  ["he", 360, 640],
  ["ar", 740, 360],
  ["es", 1024, 600],
];

const CHOOSE = {
  en: "Choose the store to connect.",
  he: "יש לבחור את החנות לחיבור.",
  ar: "اختر المتجر المراد ربطه.",
  es: "Elija la tienda que quiere conectar.",
};

/** Another minute has passed since the page was loaded. */
const LATER = `const now = performance.now.bind(performance);
  performance.now = () => now() + 60_000;`;
/** Whether the cashier reads what was changed elsewhere. */
const CHANGED = "return document.querySelector('#changed').checkVisibility()";
const merchant = new Merchant(e2e);

for (const [language, width, height] of LOOKS) {
  const look = `${language}, ${width}×${height}`;
  test(`the way to a connection, ${look}: in sight, in order, and axe finds nothing`, async () => {
    const { window, service } = await e2e.open({ size: [width, height] });
    const { email, password } = service.settings.account;
    await window.get(await link(service.settings, { lang: language }));
    await resize(window, width, height);
    await merchant.shows("sign-in");
    await e2e.till.says("#code strong", /^\d{4}$/); // To compare: this page is in no frame.
    await merchant.focuses("body"); // Before a form was sent, the focus is nobody's.
    await merchant.judge(`sign-in-${language}`);

    for (const type of ["text", "password"]) {
      await merchant.press(".reveal");
      await becomes(() => merchant.find("#password").getAttribute("type"), type);
    }

    await merchant.signIn(email, "wrong");
    await window.wait(until.elementLocated(By.id("sign-in-error")), LIMIT);
    await merchant.shows("sign-in");
    await merchant.focuses("password");
    await merchant.judge(`wrong-${language}`);

    await merchant.signIn(email, password);
    await merchant.shows("consent");
    await merchant.hears();
    assert.deepEqual(await window.findElements(By.css("input[name=store]:checked")), []);
    await merchant.judge(`consent-${language}`, "#connect");
    await merchant.judge(`consent-${language}`, "#asks");
    await merchant.press("#not-you");
    await merchant.shows("sign-in");
    await merchant.signIn(email, password);
    await merchant.shows("consent");

    // Without a store nothing is sent, and the page says so in its own language.
    await merchant.isFlawless();
    await window.executeScript("document.querySelector('#ereceipts').click()");
    await merchant.press("#connect");
    await merchant.complains(CHOOSE[language]);
    await merchant.focuses("fieldset");
    await becomes(() => merchant.find("#ereceipts").isSelected(), true, "What was chosen stays.");
    await merchant.judge(`no-store-${language}`, "#connect");
    await merchant.choose();
    // What was missing is there.
    await becomes(async () => (await window.findElements(By.css(".error"))).length, 0);
    await merchant.judge(`chosen-${language}`, "#connect");
    await merchant.press("#connect");
    await merchant.shows("finished");
    await merchant.hears();
    await merchant.judge(`finished-${language}`);
  });

  test(`what is connected, ${look}: the merchant ends it, and axe finds nothing`, async () => {
    const { till, window, service } = await e2e.open({ size: [1280, 800] });
    const { email, password } = service.settings.account;
    await till.connect(service.settings.account);

    await window.get(`${new URL("/connections", service.settings.connectUrl)}?lang=${language}`);
    await resize(window, width, height);
    await merchant.shows("sign-in");
    await merchant.judge(`connections-sign-in-${language}`);
    await merchant.signIn(email, password);
    await merchant.shows("connections");
    await merchant.hears();
    await window.executeScript("document.querySelector('details').open = true");
    await merchant.judge(`connections-${language}`);
    const listed = async () => (await window.findElements(By.css("details"))).length;
    const before = await listed();
    // Between two pages there is none.
    const isOn = () =>
      merchant
        .find("[role=switch]")
        .getAttribute("aria-checked")
        .catch(() => null);
    await becomes(isOn, "false");
    await merchant.press("[role=switch]");
    await becomes(isOn, "true");
    await merchant.judge(`switched-${language}`);
    await window.executeScript("document.querySelector('details').open = true");
    await merchant.press(".danger");
    await becomes(listed, before - 1);
    await merchant.judge(`disconnected-${language}`);
    await merchant.press("#sign-out");
    await merchant.shows("sign-in");
  });
}

test("a sign-in without a network waits for it, and keeps what was typed", async () => {
  const { window, service } = await e2e.open();
  const { email, password } = service.settings.account;
  await window.get(await link(service.settings, {}));
  await merchant.shows("sign-in");
  const network = (offline) =>
    window.setNetworkConditions({ offline, latency: 0, download_throughput: -1, upload_throughput: -1 });
  await network(true);
  try {
    await merchant.signIn(email, password);
    await window.wait(until.elementLocated(By.id("offline")), LIMIT);
    await merchant.shows("sign-in");
    assert.equal(await merchant.find("#email").getAttribute("value"), email);
  } finally {
    await network(false);
  }
  await merchant.shows("consent");
});

test("off means off: an open till hears of the switch and of the end, and sends nothing for that", async () => {
  const { till, window, service } = await e2e.open();
  const { email, password } = service.settings.account;
  await till.connect(service.settings.account, { ereceipts: true });
  await till.says("#token-ereceipt", "on");
  const atTill = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  const atMerchant = await window.getWindowHandle();
  await window.get(`${new URL("/connections", service.settings.connectUrl)}?lang=en`);
  await merchant.shows("sign-in");
  await merchant.signIn(email, password);
  await merchant.shows("connections");
  await merchant.press("[role=switch]");
  await window.wait(until.elementLocated(By.css("[role=switch][aria-checked=false]")), LIMIT);

  await window.switchTo().window(atTill);
  await window.executeScript(LATER);
  await till.click("#products button");
  await till.says("#token-ereceipt", "off");
  await till.charge();
  await till.says("#tray figcaption", "E-receipts are off: nobody was asked. Receipt printed.");
  await till.says("#changed p", "The merchant switched e-receipts off.");
  await till.click("#products button");
  await till.holds(CHANGED, false, "The next order begins.");
  await till.says("#connection", /^Connected/);

  await window.switchTo().window(atMerchant);
  await window.executeScript("document.querySelector('details').open = true");
  await merchant.press(".danger");
  // The page before has a notice, too.
  await till.says("#notice", /is disconnected/);
  await window.close();
  await window.switchTo().window(atTill);
  await window.executeScript(`${LATER} document.dispatchEvent(new Event("visibilitychange"));`);
  await till.says("#connection", "Not connected");
  await till.says("#changed p", "The connection has ended.");
  await till.connect(service.settings.account);
  await till.holds(CHANGED, false, "It is connected again.");
  await till.isTidy();

  // The tokens may still be on their way to the back end.
  await till.holds("return fetch('back-end/access-token').then((answer) => answer.text()).then(Boolean)", true);
  // The back end knows this browser no more: its cookie is gone.
  await window.executeScript(
    `return fetch("back-end/tokens", { method: "DELETE" }).then(() => {
      ${LATER}
      document.dispatchEvent(new Event("visibilitychange"));
    });`,
  );
  await till.says("#connection", "Not connected");
  await till.says("#changed p", "The connection has ended.");
  await till.click("#changed button");
  await till.holds(CHANGED, false, "It was read.");
  // A page gives its back end one second before it is ready, and a later answer would be news.
  const source = "AbortSignal.timeout = () => new AbortController().signal;";
  await window.sendDevToolsCommand("Page.addScriptToEvaluateOnNewDocument", { source });
  await till.reopen();
  await till.says("#connection", "Not connected");
  await till.holds(CHANGED, false, "It is no news after a reload.");
});

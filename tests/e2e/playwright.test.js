// @engines chromium: the page objects are Playwright's callers, and what they press is pressed in each engine elsewhere
// The page objects of pos-connect/testing: at the demo till with the real service, and in a page without any server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { pathFrom } from "./support/environment.js";
import { launch } from "./support/playwright.js";
import { Service } from "./support/service.js";
import { HOLD, ORDER_PATIENCE } from "./support/timers.js";
import { LIMIT } from "./support/wait.js";

const { connectPage, fakeService, keypad } = await import(
  pathToFileURL(join(pathFrom("POS_PACKAGE_DIR"), "testing/index.js"))
);
const MERCHANT = { email: "merchant@bakery.example", password: "not secret" };

let browser, page;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** A test with a page of its own. */
function inPage(name, run) {
  test(name, async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(LIMIT);
    try {
      await run();
    } finally {
      await page.context().close();
    }
  });
}

const says = (css, text) => page.locator(css, { hasText: text }).waitFor();

inPage("the demo till: a merchant connects, and shoppers choose", async () => {
  const service = await Service.start({ interval: 0 });
  after(() => service.stop());
  const choice = JSON.stringify({ region: "IL", allowNone: true });
  await page.addInitScript((text) => localStorage.setItem("till-receipt", text), choice);
  await page.goto(service.tillUrl);
  await page.locator("#connect").click();
  const merchant = connectPage(page);
  await merchant.signIn(service.settings.account);
  await merchant.consent({ store: "Old Harbor", ereceipts: true });
  await says("#connection", "Connected to Demo Bakery, Old Harbor");
  await page.evaluate(`(function () {${HOLD}})(${ORDER_PATIENCE})`);
  const shopper = keypad(page);
  for (const [choose, outcome] of [
    [() => shopper.type("0502345678").then(shopper.send), "Receipt sent"],
    [() => shopper.tap("0502345678").then(shopper.send), "Receipt sent"],
    [shopper.none, "No receipt"],
    [shopper.print, "Printed"],
  ]) {
    await page.locator("#products button").first().click();
    await page.locator("#charge").click();
    await page.locator(".question [value=card]").click();
    await choose();
    await says("#tray figcaption", outcome);
  }
});

inPage("the demo till: a merchant cancels in the frame, and connects in a window", async () => {
  const service = await Service.start({ interval: 0 });
  after(() => service.stop());
  await page.goto(service.tillUrl);
  await page.locator("#connect").click();
  await connectPage(page).shows("sign-in");
  await connectPage(page).cancel();
  await page.locator(".pos-connect-frame").waitFor({ state: "detached" });
  await page.locator("#connect").click();
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.locator(".pos-connect-open-window").click()]);
  const merchant = connectPage(popup.mainFrame());
  await merchant.signIn(service.settings.account);
  await merchant.consent();
  await says("#connection", /^Connected/);
});

const ORDER = `{ externalId: "1041", time: new Date(), currency: "ILS", total: 1190,
  lines: [{ name: "Bread", quantity: 1, amount: 1190 }] }`;
/** A till that connects and sells once. */
const till = (script) => `<!doctype html><title>till</title><body><script type="module">
import { PosConnect } from "/index.js";
import { fakeService } from "/testing/index.js";
const say = (text) => document.body.append(text + ". ");
${script}
const pos = await PosConnect.create(options);
const cancelled = await pos.connect().catch(({ code }) => code);
say(cancelled);
const { account, ereceipt } = await pos.connect();
say(account.name + " " + ereceipt);
const { receipt } = await pos.charge(${ORDER}, { region: "IL", print: () => {} });
say(receipt.phone);
</script>`;

const TILL = "https://till.example";
const inThePage = "const service = fakeService({ connect: 'pending' }); globalThis.fetch = service.fetch;";
const outside = fakeService({ connect: "pending" });
for (const [name, script, route] of [
  ["as a fetch in the page", `${inThePage} const { options } = service;`, async () => {}],
  ["as a route of Playwright's", `const options = ${JSON.stringify(outside.options)};`, () => outside.route(page)],
]) {
  inPage(`no server at all: the fake service ${name}`, async () => {
    await page.route(`${TILL}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === "/") return route.fulfill({ contentType: "text/html", body: till(script) });
      return route.fulfill({ path: join(pathFrom("POS_PACKAGE_DIR"), pathname) });
    });
    await route();
    await page.goto(TILL);
    const merchant = connectPage(page);
    await merchant.shows("sign-in");
    await merchant.cancel();
    await says("body", "cancelled");
    await merchant.signIn(MERCHANT);
    await merchant.consent({ ereceipts: true });
    await says("body", "Corner Bakery true");
    await keypad(page).type("0502345678");
    await keypad(page).send();
    await says("body", "+972502345678");
  });
}

test("the service outside has heard of the order, and no secret", () => {
  const { path, body } = outside.requests.at(-1);
  assert.deepEqual([path, body.total, body.ereceipt.phone], ["/v1/orders", 1190, "+972502345678"]);
});

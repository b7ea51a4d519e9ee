// @engines chromium: the page's own code; connect.test.js sends its forms in each engine
// The connection of a form of the connect page is cut, before or after the service has seen it: the page stays, with
// what was typed, says so, and goes on by itself or with the next press.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Forwarder } from "./support/forwarder.js";
import { link, Merchant } from "./support/merchant.js";
import { session } from "./support/session.js";
import { becomes } from "./support/wait.js";

const e2e = session();
const merchant = new Merchant(e2e);
let forwarder;

after(() => forwarder?.close());

/** What was typed or chosen, and what the page says. */
const state = () =>
  e2e.window.executeScript(`return {
    page: document.body.dataset.page,
    typed: [...document.querySelectorAll(".field input")].map(({ value }) => value),
    chosen: [...document.querySelectorAll(".choice input")].map(({ checked }) => checked),
    says: document.querySelector("#offline")?.textContent ?? "",
    isBusy: document.querySelector("[aria-busy]") !== null,
  }`);

/** The address of the service's page behind the forwarder. */
const behind = (page) => new URL(page, forwarder.baseUrl).href;

/** Presses while all forms' connections are cut; the page is as it was, and says so. */
async function cut(at, css) {
  const before = await state();
  for (const page of ["/connect", "/connections"]) forwarder.cuts.set(`POST ${page}`, at);
  await merchant.press(css);
  const kept = async () => ({ ...(await state()), says: "" });
  await becomes(async () => (await state()).says.includes("What you entered is kept"), true);
  await becomes(kept, { ...before, says: "" });
  forwarder.cuts.clear();
}

async function opened() {
  const { window, service } = await e2e.open();
  const { account, ...settings } = service.settings;
  forwarder ??= await Forwarder.start(settings.baseUrl);
  await window.get(await link({ ...settings, connectUrl: behind("/connect") }, { lang: "en" }));
  await merchant.shows("sign-in");
  return account;
}

const ENDS = { before: "the service has seen nothing", after: "its answer is lost" };

for (const [at, what] of Object.entries(ENDS)) {
  test(`each form of the way to a connection is cut, and ${what}: nothing that was typed is`, async () => {
    const { email, password } = await opened();
    await merchant.fill({ email, password });
    await cut(at, "#sign-in");
    // A form that the service has seen counts no more, and comes back filled.
    if (at === "after") {
      await becomes(async () => (await state()).says, "");
      assert.deepEqual((await state()).typed, [email, password]);
      await merchant.press("#sign-in");
    }
    await merchant.shows("consent");
    await cut(at, "#not-you");
    await merchant.shows("sign-in");
    await merchant.signIn(email, password);
    await merchant.shows("consent");
    await e2e.window.executeScript("document.querySelector('#ereceipts').click()");
    await merchant.choose();
    await cut(at, "#connect");
    await merchant.shows("finished");
  });

  test(`a switch of the list of connections is cut, and ${what}: the list stays, and goes on`, async () => {
    const { email, password } = await opened();
    await merchant.signIn(email, password);
    await merchant.shows("consent");
    await merchant.choose();
    await merchant.press("#connect");
    await merchant.shows("finished");
    await e2e.window.get(behind("/connections?lang=en"));
    await merchant.signIn(email, password);
    await merchant.shows("connections");
    await cut(at, "[role=switch]");
    await merchant.shows(at === "before" ? "connections" : "sign-in");
    if (at === "after") return;
    await e2e.till.holds("return document.querySelector('[role=switch]').getAttribute('aria-checked')", "true");
    await e2e.window.executeScript("document.querySelector('details').open = true");
    await cut(at, ".danger");
    await e2e.till.says("#notice", /is disconnected/);
  });
}

test("what is typed after a cut is sent with the next press, and not before", async () => {
  const { email, password } = await opened();
  await merchant.fill({ email, password: "wrong" });
  forwarder.cuts.set("POST /connect", "before");
  await merchant.press("#sign-in");
  await becomes(async () => (await state()).says !== "", true);
  await merchant.fill({ password });
  await becomes(async () => (await state()).says, "");
  forwarder.cuts.clear();
  await merchant.press("#sign-in");
  await merchant.shows("consent");
});

// @engines chromium: no engine changes what the provider and the service say to each other
// A merchant whose account is the operator's signs in with its provider: in a window that the connect frame opens, by
// the link on a phone, and not at all. There are two providers.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { By } from "selenium-webdriver";
import { Merchant, link } from "./support/merchant.js";
import { freePort } from "./support/process.js";
import { Provider, ProviderPage } from "./support/provider.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";
import { becomes, eventually } from "./support/wait.js";

const port = await freePort();
const start = (id, name) => Provider.start(`http://127.0.0.1:${port}`, id, name);
const [provider, corner] = [await start("harbor", "Harbor Ads"), await start("corner", "Corner Ads")];
const folder = await mkdtemp(join(tmpdir(), "pos-connect-provider-"));
const options = [...(await provider.option(folder)), ...(await corner.option(folder))];
after(async () => {
  await provider.stop();
  await corner.stop();
  await rm(folder, { recursive: true, force: true });
});

const e2e = session({ brand: ["--listen", `127.0.0.1:${port}`, ...options] });
const merchant = new Merchant(e2e);
const BUTTON = "button[value=provider-harbor]";

const cookies = () => e2e.window.manage().getCookies();

test("the frame opens a window; both show the same number; the window connects the till", async () => {
  const { till, window, service } = await e2e.open();
  await till.click("#connect");
  await till.frame.shows("sign-in");
  const own = await window.getWindowHandle();
  const code = await till.frame.inside(async () => {
    const number = await window.findElement(By.css(".window-code bdi"));
    await becomes(() => number.isDisplayed(), true);
    const text = await number.getText();
    await screenshot(window, "provider-frame");
    await window.findElement(By.css(BUTTON)).click();
    return text;
  });
  assert.match(code, /^\d{4}$/);
  const other = async () => (await window.getAllWindowHandles()).find((handle) => handle !== own);
  await window.switchTo().window(await eventually(other, "No window was opened."));
  await new ProviderPage(window).signIn("ada");
  await merchant.shows("consent");
  await till.says("#code strong", code);
  await screenshot(window, "provider-consent");
  assert.equal(await window.getCurrentUrl(), provider.callback, "the code is not in the address");
  const left = (await cookies()).filter(({ name }) => name.includes("pos-connect"));
  assert.deepEqual(left, [], "the cookie has done its work");
  await merchant.choose();
  await merchant.press("#connect");
  await merchant.shows("finished");
  await window.close();
  await window.switchTo().window(own);
  await till.says("#connection", "Connected to Harbor Bakery, Market Street");
  await till.isTidy();
  await till.keepsSecrets(service.settings);
});

test("on a phone it is the same window, and who has said no there can try again", async () => {
  const { window, service } = await e2e.open();
  const own = await window.getWindowHandle();
  const connect = await link(service.settings);
  await window.switchTo().newWindow("tab");
  await window.get(connect);
  await merchant.shows("sign-in");
  const code = await window.findElement(By.css("#code strong")).getText();
  await merchant.press(BUTTON);
  const page = new ProviderPage(window);
  await page.cancel();
  await merchant.shows("sign-in");
  await e2e.till.says("#notice", "You were not signed in, and nothing was changed. You can try again.");
  await merchant.press(BUTTON);
  await page.signIn("ada");
  await merchant.shows("consent");
  await e2e.till.says("#code strong", code);
  await merchant.press("#cancel");
  await merchant.shows("cancelled");
  await window.close();
  await window.switchTo().window(own);
});

test("there is a second provider, and signing out there ends the open page", async () => {
  const { till, window, service } = await e2e.open();
  const own = await window.getWindowHandle();
  const connect = await link(service.settings);
  await window.switchTo().newWindow("tab");
  await window.get(connect);
  await merchant.shows("sign-in");
  const marks = await window.findElements(By.css(".providers button img"));
  assert.equal(marks.length, 2);
  for (const mark of marks) assert.ok(await mark.isDisplayed());
  const text = await window.findElement(By.css("button[value=provider-corner]")).getText();
  assert.equal(text, "Sign in with Corner Ads");
  await merchant.press("button[value=provider-corner]");
  await new ProviderPage(window).signIn("ada");
  await merchant.shows("consent");
  assert.equal(await window.getCurrentUrl(), corner.callback);
  const consent = await window.getWindowHandle();
  await window.switchTo().newWindow("tab");
  await window.get(`${corner.issuer}/session/end`);
  await new ProviderPage(window).signOut();
  await eventually(() => corner.hasSaidGoodbye, "The service was never told.");
  await window.close();
  await window.switchTo().window(consent);
  await merchant.choose();
  await merchant.press("#connect");
  await merchant.shows("sign-in");
  const notice = "That page was already sent or was open too long, so nothing was changed. Please sign in again.";
  await till.says("#notice", notice);
  await window.close();
  await window.switchTo().window(own);
});

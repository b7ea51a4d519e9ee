// The connect page with an operator's name, logo, color and links, and the page of the calls: axe finds nothing.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { until, By } from "selenium-webdriver";
import { violations } from "./support/axe.js";
import { resize } from "./support/browser.js";
import { link, Merchant } from "./support/merchant.js";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const NAME = "Corner Ads & Söhne";
const logo = fileURLToPath(new URL("support/logo.svg", import.meta.url));
const e2e = session({
  // Of all colors, one on which black is easier to read than white.
  brand: ["--brand-name", NAME, "--brand-logo", logo, "--brand-color", "#ffd400"].concat([
    "--support-url",
    "https://ads.example.com/help",
    "--reset-url",
    "mailto:help@ads.example.com",
  ]),
});
const merchant = new Merchant(e2e);
const LOOKS = [
  ["en", "light", 1280, 800],
  ["he", "dark", 360, 640],
  ["ar", "light", 740, 360],
];

/** The logo is there, and it is a picture. */
const drawn = () =>
  e2e.window.executeScript(
    "return Array.from(document.images, ({ complete, naturalWidth }) => complete && naturalWidth > 0)",
  );

for (const [lang, theme, width, height] of LOOKS) {
  test(`the brand, ${lang}, ${theme}, ${width}×${height}: in sight, drawn, and axe finds nothing`, async () => {
    const { window, service } = await e2e.open({ size: [width, height] });
    const { email, password } = service.settings.account;
    await window.get(await link(service.settings, { lang, theme }));
    await resize(window, width, height);
    const judge = async (name, inSight) => {
      assert.deepEqual(await drawn(), [true], name);
      assert.ok((await merchant.find("body").getText()).includes(NAME), name);
      await merchant.judge(`brand-${name}-${lang}`, inSight);
    };
    await merchant.shows("sign-in");
    await judge("sign-in");
    await merchant.signIn(email, "wrong");
    await window.wait(until.elementLocated(By.id("sign-in-error")), 15_000);
    await judge("wrong");
    await merchant.signIn(email, password);
    await merchant.shows("consent");
    await merchant.choose();
    await judge("consent", "#connect");
    await merchant.press("#connect");
    await merchant.shows("finished");
    await judge("finished");
    await window.get(service.settings.connectUrl);
    await merchant.shows("error");
    await judge("error");
  });
}

test("the page of the calls: axe finds nothing, at every size", async () => {
  const { window, service } = await e2e.open();
  await window.get(String(new URL("/reference", service.settings.connectUrl)));
  for (const [width, height] of [
    [360, 640],
    [1280, 800],
  ]) {
    await resize(window, width, height);
    const across = await window.executeScript("return document.documentElement.scrollWidth - innerWidth");
    assert.ok(across <= 0, `It scrolls sideways by ${across}.`);
    // Of a column that is scrolled out of sight axe cannot decide.
    assert.deepEqual(await violations(window, "body", { undecided: width > 1000 }), [], `${width}×${height}`);
    await screenshot(window, `reference-${width}`);
  }
  assert.ok((await window.findElements(By.css("section table"))).length > 20);
});

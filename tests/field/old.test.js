// @engines chromium: the engine is one of its own
// Chromium 89, which npm has: tablets whose WebView gets no updates run one like it. Where it lacks what Safari before
// 16.4 lacks, too, it stands for that one: no old WebKit can be had.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import puppeteer from "puppeteer-core";
import { PATIENTLY } from "../e2e/support/process.js";
import { LIMIT } from "../e2e/support/wait.js";
import { openSite } from "./site.js";

const packed = createRequire(import.meta.url).resolve("chrome-aws-lambda/bin/chromium.br");
const fonts = fileURLToPath(new URL("../e2e/fonts.conf", import.meta.url));
const WHITE = "rgb(255, 255, 255)";
const LACKS = {
  "as it is": "",
  "without constructed style sheets": "delete ShadowRoot.prototype.adoptedStyleSheets",
};

let folder, site, browser;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "pos-connect-old-"));
  const executablePath = join(folder, "chromium");
  const program = await promisify(brotliDecompress)(await readFile(packed));
  await writeFile(executablePath, program, { mode: 0o755 });
  site = await openSite();
  const env = { ...process.env, FONTCONFIG_FILE: fonts };
  const args = ["--no-sandbox", "--disable-gpu"];
  const userDataDir = join(folder, "profile");
  browser = await puppeteer.launch({ executablePath, args, env, userDataDir, timeout: LIMIT });
}, { timeout: 300_000 });

after(async () => {
  await browser?.close();
  await site?.close();
  await rm(folder, PATIENTLY);
});

async function open(lacks) {
  const page = await browser.newPage();
  page.setDefaultTimeout(LIMIT);
  await page.evaluateOnNewDocument(lacks);
  await page.goto(`${site.url}till.html`);
  await page.waitForFunction("document.body.dataset.ready === ''");
  return page;
}

for (const [name, lacks] of Object.entries(LACKS)) {
  test(`a shopper sees the keypad in an old engine, and types a number: ${name}`, async () => {
    const page = await open(lacks);
    await page.evaluate("till.ask()");
    await page.waitForFunction("till.shows() !== null");
    const painted = await page.evaluate(() => {
      const style = (name) => getComputedStyle(globalThis.till.find(name));
      return [style("keypad").backgroundColor, style("title").color, style("1").borderTopStyle, style("send").color];
    });
    assert.deepEqual(painted, [WHITE, "rgb(22, 25, 31)", "solid", "rgb(24, 88, 184)"]);
    await sleep(600); // The guard.
    await page.keyboard.type("0502345678", { delay: 60 });
    await page.waitForFunction("till.shows() === '050-234-5678'");
    const send = await page.evaluateHandle("till.find('send')");
    await send.asElement().click();
    await page.waitForFunction("till.results[0]?.kind === 'ereceipt'");
    await page.close();
  });
}

test("a merchant sees the dialog of an old engine, and closes it", async () => {
  const page = await open("");
  await page.evaluate("till.connect()");
  await page.waitForSelector("iframe.pos-connect-frame", { visible: true });
  const background = await page.$eval("dialog[open]", (dialog) => getComputedStyle(dialog).backgroundColor);
  assert.equal(background, WHITE);
  await page.keyboard.press("Escape");
  await page.waitForFunction("till.results[0] === 'closed'");
  await page.close();
});

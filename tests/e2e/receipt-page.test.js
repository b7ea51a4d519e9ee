// @engines chromium: only its driver gives a page a share sheet, and the look of a printer
// The page behind a receipt's link: printed, saved, shared, by keyboard, on a phone and on paper.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Key } from "selenium-webdriver";
import { violations } from "./support/axe.js";
import { resize } from "./support/browser.js";
import { Keypad } from "./support/keypad.js";
import { screenshot } from "./support/screenshot.js";
import { connected, session } from "./support/session.js";
import { becomes, eventually } from "./support/wait.js";

const e2e = session();
const run = (script, ...args) => e2e.window.executeScript(script, ...args);
const PAPER = 302; // CSS px: the roll of 80 mm that a till prints on.
const BUTTONS = {
  en: ["Print", "Save", "Share"],
  he: ["הדפסה", "שמירה", "שיתוף"],
  ar: ["طباعة", "حفظ", "مشاركة"],
  es: ["Imprimir", "Guardar", "Compartir"],
};

/** Runs before the page's own script, in each page: what a browser does with a receipt is kept. */
const WITH_SHARE = `
  window.done = [];
  window.print = () => done.push("print");
  navigator.share = async (shared) => void done.push(shared);
  const create = URL.createObjectURL;
  URL.createObjectURL = (file) => {
    file.text().then((text) => done.push(text));
    return create.call(URL, file);
  };`;
const WITHOUT_SHARE = "Object.defineProperty(navigator, 'share', { value: undefined });";

async function withScript(source, act) {
  const { window } = e2e;
  const name = "Page.addScriptToEvaluateOnNewDocument";
  const { identifier } = await window.sendAndGetDevToolsCommand(name, { source });
  await act();
  await window.sendDevToolsCommand("Page.removeScriptToEvaluateOnNewDocument", { identifier });
}

/** The link in the message of a receipt in this language. */
async function receipt(locale) {
  const { till, window, service } = e2e;
  const before = (await service.messages()).length;
  await resize(window, 1280, 800);
  await till.reopen();
  await run(
    `const choice = JSON.parse(localStorage.getItem("till-receipt"));
    localStorage.setItem("till-receipt", JSON.stringify({ ...choice, locale: arguments[0] }));`,
    locale,
  );
  await till.reopen();
  await till.sell(new Keypad(window), "0502345678");
  const { text } = await eventually(async () => (await service.messages())[before], "No message came.");
  return text.slice(text.indexOf("http"));
}

const shown = () =>
  run(
    `const all = Array.from(document.querySelectorAll("button"));
    return all.filter((one) => one.checkVisibility()).map((one) => one.textContent);`,
  );

test("the till is connected", () => connected(e2e));

for (const [locale, names] of Object.entries(BUTTONS)) {
  test(`a receipt in ${locale} is printed, saved and shared by keyboard, and axe finds nothing`, async () => {
    const { window } = e2e;
    const link = await receipt(locale);
    await withScript(WITH_SHARE, async () => {
      await window.get(link);
      await resize(window, 360, 640);
      assert.deepEqual(await shown(), names);
      assert.deepEqual(await violations(window, "body"), []);
      await screenshot(window, `receipt-page-${locale}`);
      for (const _ of names) await window.actions().sendKeys(Key.TAB, Key.ENTER).perform();
      await becomes(() => run("return done.length"), 3);
      await resize(window, 180, 320);
      assert.equal(await run("return document.documentElement.scrollWidth"), 180, "Nothing sticks out.");
      const widths = await run("return Array.from(document.querySelectorAll('tbody th'), (one) => one.clientWidth)");
      assert.ok(Math.min(...widths) > 120, "An article's name has the line.");
    });
    const [printed, ...others] = await run("return done");
    assert.equal(printed, "print");
    const file = others.find((one) => typeof one === "string");
    assert.deepEqual(
      others.find((one) => typeof one !== "string"),
      { title: await window.getTitle(), url: link },
    );
    assert.match(file, new RegExp(`<html lang="${locale}".*<style>.*8\\.12|8,12`, "s"));
    assert.match(file, /<img src="data:image\/svg\+xml;base64,/, "The shop's logo.");
    assert.match(file, /<p>[^<]+ <bdi>10\d\d<\/bdi><\/p>/, "The shop calls it so.");
    assert.doesNotMatch(file, /<script|<button|<link|\/r\//, "It needs the service, or leads to it.");
    await window.sendDevToolsCommand("Emulation.setEmulatedMedia", { media: "print" });
    await resize(window, PAPER, 800);
    assert.deepEqual(await shown(), [], "Paper has no buttons.");
    assert.equal(await run("return document.documentElement.scrollWidth"), PAPER);
    await screenshot(window, `receipt-paper-${locale}`);
    await window.sendDevToolsCommand("Emulation.setEmulatedMedia", { media: "" });
  });
}

test("where a browser shares nothing, no button says so", async () => {
  const link = await receipt("en");
  await withScript(WITHOUT_SHARE, () => e2e.window.get(link));
  assert.deepEqual(await shown(), BUTTONS.en.slice(0, 2));
});

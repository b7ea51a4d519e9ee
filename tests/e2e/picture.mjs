// Makes docs/till.webp from the demo as it looks now: the till, the connect page in its dialog, and the keypad. And
// docs/keypad.webp: the keypad on a phone. And docs/film.webp: connect, sell, send the receipt. `cargo xtask docs
// --picture` runs it.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { By } from "selenium-webdriver";
import { openBrowser, resize as resizeAt } from "./support/browser.js";
import { Keypad } from "./support/keypad.js";
import { Service } from "./support/service.js";
import { Till } from "./support/till.js";

const [, , folder] = process.argv;
const BOARD = { "till.webp": [1600, 790], "keypad.webp": [1560, 668] };
/** Pixels of the picture for one of the page. */
const SCALE = 2;
const PHONE = [360, 640];
const STAGE = [1120, 700];
const MOVEMENT = 400; // ms, longer than one of the till's
/** A number that is nobody's. */
const SHOPPER = "2025550147";
/** Language, theme and what is typed. */
const LOOKS = [
  ["en", "light", "0502"],
  ["en", "dark", "036"],
  ["ar", "dark", "0502345678"],
  ["he", "light", "0502345678"],
];

const resize = (window, width, height) => resizeAt(window, width, height, SCALE);

/** A picture of one element, as an address that a page can show. */
const pictureOf = async (element) => `data:image/png;base64,${await element.takeScreenshot()}`;

/** The till's own buttons with the login go, and nothing of the password is left. */
async function hideLogin(window, { settings: { account } }) {
  const left = await window.executeScript(
    `const dialog = document.querySelector(".connect-dialog");
    dialog.querySelector(".pair").remove();
    return dialog.textContent;`,
  );
  if (left.includes(account.password)) throw new Error("The picture would show the login.");
}

/** The parts, one after the other, in one page. */
async function parts(window, till, service) {
  await resize(window, 690, 734);
  await till.reopen();
  const products = await window.findElements(By.css("#products button"));
  for (const at of [0, 3, 3, 7]) await products[at].click();
  await window.executeScript(`
    document.activeElement.blur();
    for (const movement of document.getAnimations()) movement.finish();
    for (let part = document.querySelector("#products"); part; part = part.parentElement) part.scrollTop = 0;`);
  const shop = `data:image/png;base64,${await window.takeScreenshot()}`;
  await resize(window, 1280, 800);
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await till.frame.inside(async () => {
    // By script: the actions, which stay in sight, may cover them.
    await window.executeScript(
      `for (const css of ["[name=store]", "#ereceipts"]) document.querySelector(css).click();
      document.activeElement.blur()`,
    );
  });
  await hideLogin(window, service);
  const dialog = await pictureOf(await window.findElement(By.css(".connect-dialog")));
  await till.frame.inside(async () => (await window.findElement(By.id("connect"))).click());
  await till.rests();
  await till.charge();
  await resize(window, 412, 700);
  return [shop, dialog, await keypadWith(window, "201555")];
}

/** The keypad that asks, with digits. */
async function keypadWith(window, digits) {
  const keypad = new Keypad(window);
  await keypad.shows();
  await keypad.type(digits);
  await window.wait(
    () => keypad.run("return root.getAnimations().length === 0 && !root.querySelector('[data-lit]')"),
    5_000,
  );
  return pictureOf(await keypad.run("return root.querySelector('dialog') ?? root.firstElementChild"));
}

/** The keypad on a phone, in each look. */
async function keypads(window, till) {
  const pictures = [];
  for (const [locale, theme, digits] of LOOKS) {
    const receipt = { ereceipt: "on", region: "IL", allowNone: true, locale };
    await resize(window, 1280, 800);
    await till.store({ "till-theme": theme, "till-receipt": JSON.stringify(receipt) });
    await till.reopen();
    await (await window.findElement(By.css("#products button"))).click();
    await till.charge();
    await resize(window, ...PHONE);
    pictures.push(await keypadWith(window, digits));
  }
  return pictures;
}

/** Lays the pictures beside each other, on no ground of their own: a page may be light or dark. */
async function board(window, size, pictures) {
  await window.get("data:text/html,<title>board</title>");
  await resize(window, ...size);
  await window.executeAsyncScript(
    `const [pictures, scale, done] = arguments;
    document.body.style.cssText = "margin: 0; height: 100vh; display: flex; gap: 30px; " +
      "align-items: center; justify-content: center; box-sizing: border-box; padding: 14px 28px";
    const images = pictures.map((src) => Object.assign(new Image(), { src }));
    for (const image of images) {
      image.style.cssText = "border-radius: 10px; min-width: 0; max-height: 100%";
      image.style.boxShadow = "0 0 0 1px #8884, 0 2px 12px #0004";
    }
    document.body.append(...images);
    const sized = (image) => image.decode().then(() => (image.width = image.naturalWidth / scale));
    Promise.all(images.map(sized)).then(() => done(), done);`,
    pictures,
    SCALE,
  );
  const transparent = { color: { r: 0, g: 0, b: 0, a: 0 } };
  await window.sendDevToolsCommand("Emulation.setDefaultBackgroundColorOverride", transparent);
  const webp = { format: "webp", quality: 88 };
  return Buffer.from((await window.sendAndGetDevToolsCommand("Page.captureScreenshot", webp)).data, "base64");
}

/** The frames of a film, in a folder that goes with it. */
class Film {
  #window;
  #folder;
  #words = [];

  static async begin(window) {
    const film = new Film();
    film.#window = window;
    film.#folder = await mkdtemp(join(tmpdir(), "film-"));
    return film;
  }

  /** What the window shows now, for so many milliseconds. */
  async frame(ms) {
    await this.#window.executeScript("for (const movement of document.getAnimations()) movement.finish()");
    const file = join(this.#folder, `${this.#words.length}.png`);
    await writeFile(file, await this.#window.takeScreenshot(), "base64");
    this.#words.push("-d", String(ms), file);
  }

  async end(file) {
    execFileSync("img2webp", ["-loop", "0", "-lossy", "-q", "85", ...this.#words, "-o", file]);
    await rm(this.#folder, { recursive: true });
  }
}

/** A merchant connects, a cashier sells, and a shopper has the receipt on the phone. */
async function film(window, till, service, file) {
  const film = await Film.begin(window);
  await till.forget();
  await resizeAt(window, ...STAGE);
  await till.store({});
  await till.reopen();
  await film.frame(900);
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await hideLogin(window, service);
  await film.frame(1200);
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await film.frame(1600);
  await till.frame.choose({ ereceipts: true });
  await film.frame(1200);
  await till.frame.agree();
  await till.holds(
    "return Boolean(document.querySelector('.pos-connect-done'))",
    true,
    "Nothing said that it is done.",
  );
  await film.frame(1500);
  await till.rests();
  for (const at of [0, 4, 9, 13]) {
    await till.click(`#products li:nth-child(${at + 1}) button`);
    await film.frame(350);
  }
  await till.click("#charge");
  await film.frame(1100);
  await till.click(".question [value=card]");
  const keypad = new Keypad(window);
  await keypad.shows();
  await film.frame(700);
  for (const digit of SHOPPER) {
    await keypad.type(digit);
    await film.frame(160);
  }
  await film.frame(900);
  await keypad.click("send");
  await till.holds("return Boolean(document.querySelector('.sms[data-arrived] a'))", true, "No message came.");
  await sleep(MOVEMENT);
  // No address of this machine is shown.
  const link = await window.executeScript(`
    const link = document.querySelector(".sms[data-arrived] a");
    link.textContent = "https://receipts.example/r/…";
    return link.href;`);
  await film.frame(2200);
  await window.get(link);
  await film.frame(3500);
  await film.end(file);
}

const service = await Service.start({});
const browser = await openBrowser();
try {
  const { window } = browser;
  const till = new Till(window, service.tillUrl);
  const pictures = { "till.webp": await parts(window, till, service), "keypad.webp": await keypads(window, till) };
  for (const [name, shown] of Object.entries(pictures)) {
    await writeFile(join(folder, name), await board(window, BOARD[name], shown));
    console.log(`picture: ${name}`);
  }
  await film(window, till, service, join(folder, "film.webp"));
  console.log("picture: film.webp");
} finally {
  await browser.close();
  await service.stop();
}

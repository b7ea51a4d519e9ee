// Makes docs/till.png from the demo as it looks now: the till, the connect page in its dialog, and the keypad.
// `cargo xtask docs --picture` runs it.
import { writeFile } from "node:fs/promises";
import { By } from "selenium-webdriver";
import { openBrowser, resize } from "./support/browser.js";
import { Keypad } from "./support/keypad.js";
import { Service } from "./support/service.js";
import { Till } from "./support/till.js";

const [, , target] = process.argv;
const BOARD = [1600, 790];

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
    for (let part = document.querySelector("#products"); part; part = part.parentElement) part.scrollTop = 0;`);
  const shop = `data:image/png;base64,${await window.takeScreenshot()}`;
  await resize(window, 1280, 800);
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.shows("consent");
  await till.frame.inside(async () => {
    await (await window.findElement(By.css("input[type=radio][name=store]"))).click();
    await (await window.findElement(By.id("ereceipts"))).click();
    await window.executeScript("document.activeElement.blur()");
  });
  await hideLogin(window, service);
  const dialog = await pictureOf(await window.findElement(By.css(".connect-dialog")));
  await till.frame.inside(async () => (await window.findElement(By.id("connect"))).click());
  await till.rests();
  await till.click("#charge");
  const keypad = new Keypad(window);
  await keypad.shows();
  await keypad.type("201555");
  const pad = await pictureOf(await keypad.run("return root.querySelector('dialog') ?? root.firstElementChild"));
  return [shop, dialog, pad];
}

/** Lays the pictures beside each other. */
async function board(window, pictures) {
  await window.get("data:text/html,<title>board</title>");
  await resize(window, ...BOARD);
  await window.executeAsyncScript(
    `const [pictures, done] = arguments;
    document.body.style.cssText = "margin: 0; height: 100vh; background: #dfe5e2; display: flex; gap: 30px; " +
      "align-items: center; justify-content: center; box-sizing: border-box; padding: 28px";
    const images = pictures.map((src) => Object.assign(new Image(), { src }));
    for (const image of images) {
      image.style.cssText = "border-radius: 10px; box-shadow: 0 2px 12px #0003; min-width: 0; max-height: 100%";
    }
    document.body.append(...images);
    Promise.all(images.map((image) => image.decode())).then(() => done(), done);`,
    pictures,
  );
  return Buffer.from(await window.takeScreenshot(), "base64");
}

const service = await Service.start({});
const browser = await openBrowser();
try {
  const { window } = browser;
  const pictures = await parts(window, new Till(window, service.tillUrl), service);
  await writeFile(target, await board(window, pictures));
  console.log(`picture: ${target}`);
} finally {
  await browser.close();
  await service.stop();
}

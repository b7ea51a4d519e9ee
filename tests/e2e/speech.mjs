// Writes down what a screen reader says of one order and one connection in the demo. `cargo xtask docs --speech` runs
// it, on a display and a session bus of its own.
import { readFile, writeFile } from "node:fs/promises";
import { Key } from "selenium-webdriver";
import { openBrowser } from "./support/browser.js";
import { Keypad } from "./support/keypad.js";
import { ScreenReader } from "./support/screen-reader.js";
import { Service } from "./support/service.js";
import { Till } from "./support/till.js";

const [, , target] = process.argv;
const NUMBER = "0502345678";
const WHOLE_PAGE = 6000; // ms
const START = "<!-- the transcripts begin here -->\n";

const service = await Service.start({});
const reader = await ScreenReader.start();
const browser = await openBrowser({ isShown: true });
const { window } = browser;
const till = new Till(window, service.tillUrl);
const keypad = new Keypad(window);
let lines = [];

/** What is nobody's business goes: the login, and a number however it is grouped or spelled. */
function masked(words) {
  const { email, password } = service.settings.account;
  return words
    .replaceAll(password, "…")
    .replaceAll(email, "(email)")
    .replace(/(?:\d[\s\-]*){6,}(?=(?:\d\s*){4})/g, "•••• ");
}

async function step(what, action) {
  await action();
  const heard = (await reader.says()).filter((words) => words !== "●").map(masked); // One for each key of a password.
  lines.push(`[${what}]`, ...heard.map(folded));
}

/** At most 116 characters a line. */
const folded = (words) => `  ${words}`.replace(/(.{1,112})(?:\s|$)/g, (_, part) => `${part}\n    `).trimEnd();

const keys = (...typed) => keypad.type(...typed);
const enter = () => keys(Key.ENTER);
const focus = (css) => window.executeScript("document.querySelector(arguments[0]).focus()", css);
const focusInside = (css) => till.frame.inside(() => focus(css));

/** Opens a page, and waits until all of it was read aloud. */
async function open(page) {
  await till.reopen(page);
  await reader.says(WHOLE_PAGE);
}

/** From the button to the card. */
async function connection() {
  await open("one-call.html"); // The package's own dialog.
  await step("The till's page is open, and the focus is on Connect", () => focus("#connect"));
  await step("Enter", async () => {
    await enter();
    await till.frame.shows("sign-in");
  });
  await step("Tab", () => keys(Key.TAB));
  const { email, password } = service.settings.account;
  await step("Focus on the email", () => focusInside("#email"));
  await till.frame.inside(() => keys(email));
  await step("Tab, to the password", () => till.frame.inside(() => keys(Key.TAB)));
  await step("A wrong password, and Enter", async () => {
    await till.frame.inside(() => keys("wrong", Key.ENTER));
    await till.frame.refusesSignIn();
  });
  await step("The right one, and Enter", async () => {
    await till.frame.inside(() => keys(password, Key.ENTER));
    await till.frame.shows("consent");
  });
  for (let tab = 1; tab <= 4; tab += 1) await step("Tab", () => till.frame.inside(() => keys(Key.TAB)));
  await step("A store and e-receipts are chosen, and Connect is pressed", () =>
    till.frame.connect({ ereceipts: true }),
  );
  await till.says("#result", /./);
  await reader.says();
}

/** From the button to what became of the receipt. */
async function order() {
  await open();
  await window.executeScript("document.querySelector('#products button').click()");
  await step("A product is in the cart, and the focus is on Charge", () => focus("#charge"));
  await step("Enter", enter);
  await step("Enter: by card", async () => {
    await enter();
    await keypad.shows();
  });
  await step("The first four digits", () => keys(NUMBER.slice(0, 4)));
  await step("Enter, too early", enter);
  await step("The other digits", () => keys(NUMBER.slice(4)));
  await step("Enter", enter);
  await window.executeScript("document.querySelector('#products button').click()");
  await step("The next order: Charge, and Enter twice", async () => {
    await focus("#charge");
    await keys(Key.ENTER, Key.ENTER);
    await keypad.shows();
  });
  await step("Escape: on paper", () => keys(Key.ESCAPE));
}

try {
  await till.reopen(); // Its storage is there once it is.
  await till.store({ "till-receipt": JSON.stringify({ region: "IL" }) });
  await connection();
  const connected = lines;
  lines = [];
  await order();
  const page = await readFile(target, "utf8");
  const block = (title, said) => `\n## ${title}\n\n\`\`\`text\n${said.join("\n")}\n\`\`\`\n`;
  const head = page.slice(0, page.indexOf(START) + START.length);
  await writeFile(target, head + block("One connection", connected) + block("One order", lines));
  console.log(`speech: ${target}`);
} finally {
  await browser.close();
  await reader.stop();
  await service.stop();
}
// What the session bus has started goes with it, but holds our pipes until then.
process.exit();

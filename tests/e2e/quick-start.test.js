// The quick start as its reader does it: the commands of docs/quick-start.md, and what the page says one sees.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { By } from "selenium-webdriver";
import { openBrowser } from "./support/browser.js";
import { ConnectFrame } from "./support/connect-frame.js";
import { pathFrom } from "./support/environment.js";
import { Keypad } from "./support/keypad.js";
import { endTree, freePort, Program } from "./support/process.js";

const TIMEOUT = 20_000;
const repository = new URL("../../", import.meta.url);
const PROGRAMS = { "pos-connect-service": pathFrom("POS_SERVICE_BIN"), "pos-connect-relay": pathFrom("POS_RELAY_BIN") };
/** What a program does not read from its command: the ports that it has by itself. */
const LISTENING = {
  "pos-connect-service": (port) => ` --listen 127.0.0.1:${port[8080]} --till-listen 127.0.0.1:${port[8081]}`,
  "pos-connect-relay": (port) => ` --listen 127.0.0.1:${port[8090]}`,
};

const running = [];
let folder, port, browser, window;

/** The commands of the page, each a line. */
async function commands() {
  const page = await readFile(new URL("docs/quick-start.md", repository), "utf8");
  const fences = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code.replaceAll(/\\\n\s*/g, "").trim());
  return fences.filter((code) => !code.startsWith("cargo xtask demo"));
}

/** Another machine's ports, and programs that are compiled already. */
function here(text) {
  const moved = text.replaceAll(/\b(808[0-2]|8090)\b/g, (known) => port[known]);
  return moved.replace(/cargo run -p (\S+) -- (serve)?/, (_, name, serves) =>
    serves ? `"${PROGRAMS[name]}" serve${LISTENING[name](port)}` : `"${PROGRAMS[name]}" `,
  );
}

const inFolder = (command) => new Program("sh", ["-c", `cd "${folder}" && ${here(command)}`]);

function serving(command) {
  const program = inFolder(command);
  running.push(program);
  return program;
}

const written = (name) => async () =>
  JSON.parse((await readFile(join(folder, name), "utf8").catch(() => "null")) || "null");

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "pos-connect-quick-start-"));
  port = Object.fromEntries(
    await Promise.all([8080, 8081, 8082, 8090].map(async (known) => [known, await freePort()])),
  );
  await mkdir(join(folder, "target"));
  await symlink(new URL("pkg", repository), join(folder, "pkg"));
  await cp(new URL("examples", repository), join(folder, "examples"), { recursive: true });
  for (const name of ["serve.mjs", "till.js"]) {
    const path = join(folder, "examples/till", name);
    await writeFile(path, here(await readFile(path, "utf8")));
  }
  browser = await openBrowser();
  window = browser.window;
});
after(async () => {
  await browser?.close();
  for (const program of running) if (program.running) await endTree(program);
  await rm(folder, { recursive: true, force: true });
});

const says = (text) =>
  window.wait(
    async () => (await window.findElement(By.css("output")).getText()) === text,
    TIMEOUT,
    `The page never said "${text}".`,
  );

/** Presses a button of the page, which is loading, until something is shown. */
const opens = (id, shown) =>
  window.wait(
    () =>
      window.executeScript(
        "const is = () => document.querySelector(arguments[1]) !== null; is() || document.getElementById(arguments[0]).click(); return is();",
        id,
        shown,
      ),
    TIMEOUT,
    `${id} opened no ${shown}.`,
  );

const press = (id) => window.findElement(By.id(id)).click();

test("five commands, a connected till, a receipt", async () => {
  const [build, service, till, relay, page, ...more] = await commands();
  assert.deepEqual(more, [], "more than five commands");
  // The tests' own step has built it.
  assert.equal(build, "cargo xtask package");
  const { account } = await serving(service).until("the line of JSON", written("target/service.json"));
  assert.equal(await inFolder(till).exited, 0);
  await serving(relay).until("the relay", () =>
    fetch(`http://127.0.0.1:${port[8090]}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const shown = serving(page);
  await shown.until("the page", () => shown.output.includes("page  http"));

  await window.get(`http://localhost:${port[8082]}`);
  await window.wait(() => window.executeScript("return document.querySelector('output') !== null"), TIMEOUT);
  await opens("connect", "dialog");
  const frame = new ConnectFrame(window);
  await frame.signIn(account);
  await frame.connect({ ereceipts: true });
  await says("Connected to Demo Bakery");

  const keypad = new Keypad(window);
  await press("charge");
  await keypad.shows();
  await keypad.type("0502345678");
  await keypad.enter();
  await says("No paper");

  await press("charge");
  await keypad.shows();
  await keypad.click("print");
  await says("Print the receipt: chosen");

  await window.navigate().refresh();
  await window.wait(() => window.executeScript("return document.querySelector('output') !== null"), TIMEOUT);
  await opens("charge", "ereceipt-keypad");
});

// @engines chromium: what each engine does on this way, connect, orders, receipt and reload show
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
import { holdTimers, ORDER_PATIENCE } from "./support/timers.js";
import { eventually, reads } from "./support/wait.js";

const LONGEST = { timeout: 300_000 };
const repository = new URL("../../", import.meta.url);
const PROGRAMS = { "pos-connect-service": pathFrom("POS_SERVICE_BIN"), "pos-connect-relay": pathFrom("POS_RELAY_BIN") };
/** What a program does not read from its command: the ports that it has by itself. */
const LISTENING = {
  "pos-connect-service": (port) => ` --listen 127.0.0.1:${port[8080]} --till-listen 127.0.0.1:${port[8081]}`,
  "pos-connect-relay": (port) => ` --listen 127.0.0.1:${port[8090]}`,
};

const running = [];
const guide = await readFile(new URL("docs/quick-start.md", repository), "utf8");
let folder, port, browser, window;

/** The commands of the page's steps, each a line. */
function commands() {
  const fences = guide
    .slice(guide.indexOf("## 1. "), guide.indexOf("## What you see"))
    .matchAll(/^```sh\n(.*?)^```$/gms);
  return [...fences].map(([, code]) => code.replaceAll(/\\\n\s*/g, "").trim());
}

/** A text that the page promises. */
function promised(text) {
  assert.ok(guide.replaceAll(/\s+/g, " ").includes(text), `docs/quick-start.md does not say ${text}`);
}

/** Another machine's ports, and programs that are compiled already. */
function here(text) {
  const moved = text.replaceAll(/\b(808[0-2]|8090)\b/g, (known) => port[known]);
  return moved.replace(/cargo run -p (\S+) -- (serve)?/, (_, name, serves) =>
    serves ? `"${PROGRAMS[name]}" serve${LISTENING[name](port)}` : `"${PROGRAMS[name]}" `,
  );
}

/** The header that the pages name, in one line and with the origins of the quick start. */
const policies = await readFile(new URL("docs/csp-and-bundlers.md", repository), "utf8");
const POLICY = /^Content-Security-Policy: (.*?)^```$/ms
  .exec(policies)[1]
  .replaceAll(/\s+/g, " ")
  .trim()
  .replaceAll("https://relay.pos-vendor.example", "http://127.0.0.1:8090")
  .replaceAll("https://auth.example.com", "http://127.0.0.1:8080");

/**
 * The page under the policy: its server sends it with every file. An import map stands in the page, where the policy
 * allows no script; so the page's own file says where the package is, as docs/csp-and-bundlers.md has it.
 */
function underPolicy(code, name) {
  if (name === "till.js") return code.replace('from "pos-connect"', 'from "/pos-connect/index.js"');
  if (name === "index.html") return code.replace(/^.*<script type="importmap">.*\n/m, "");
  const sends = 'response.writeHead(200, { "content-type": type,';
  assert.ok(code.includes(sends), "examples/till/serve.mjs answers in another way");
  return code.replace(sends, `${sends} "content-security-policy": ${JSON.stringify(POLICY)},`);
}

/** What a developer may have set, and a reader has not. */
const UNSET = "unset POS_CONNECT_RELAY_DATABASE POS_CONNECT_RELAY_KEY";

const inFolder = (command) => new Program("sh", ["-c", `${UNSET}; cd "${folder}" && ${here(command)}`]);

function serving(command) {
  const program = inFolder(command);
  running.push(program);
  return program;
}

/** What a program has written, once the line is whole. */
const written = (name) => async () => {
  const text = await readFile(join(folder, name), "utf8").catch(() => "");
  return text.endsWith("\n") && JSON.parse(text);
};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "pos-connect-quick-start-"));
  // Before the ports are chosen: a browser that starts takes some itself.
  browser = await openBrowser();
  window = browser.window;
  port = Object.fromEntries(
    await Promise.all([8080, 8081, 8082, 8090].map(async (known) => [known, await freePort()])),
  );
  await mkdir(join(folder, "target"));
  await symlink(new URL("pkg", repository), join(folder, "pkg"));
  await cp(new URL("examples", repository), join(folder, "examples"), { recursive: true });
  for (const name of ["serve.mjs", "till.js", "index.html"]) {
    const path = join(folder, "examples/till", name);
    await writeFile(path, here(underPolicy(await readFile(path, "utf8"), name)));
  }
}, LONGEST);
after(async () => {
  await browser?.close();
  for (const program of running) if (program.running) await endTree(program);
  await rm(folder, { recursive: true, force: true });
}, LONGEST);

/** Waits until the page shows a text that the guide promises in quotes. */
function says(text) {
  promised(`"${text}"`);
  return shows(text);
}

const shows = (text) => reads("The page", () => window.findElement(By.css("output")).getText(), text);

/** Opens the page, and waits until its buttons can be pressed. */
async function arrives(open) {
  await open();
  const begun = () => window.executeScript("return document.querySelector('button:disabled') === null");
  await eventually(begun, "The buttons stayed disabled.");
}

const BUTTON = `Array.from(document.querySelectorAll("button")).find((button) => button.textContent === arguments[0])`;

async function press(button) {
  promised(`**${button}**`);
  await (await window.executeScript(`return ${BUTTON}`, button)).click();
}

/** A part of the keypad that has this text. */
async function pressOnKeypad(keypad, part, label) {
  promised(`**${label}**`);
  await keypad.click(part, label);
}

async function connects(account, { ereceipts }) {
  const frame = new ConnectFrame(window);
  await frame.signIn(account);
  promised("answer **Offer receipts by text message?** with **Yes**, and press **Connect**");
  await frame.connect({ ereceipts });
}

test("five commands, a connected till, a receipt", LONGEST, async () => {
  const [build, service, relay, till, page, ...more] = commands();
  assert.deepEqual(more, [], "more than five commands");
  // The tests' own step has built it.
  assert.equal(build, "cargo xtask package");
  const { account } = await serving(service).until("the line of JSON", written("target/service.json"));
  await serving(relay).until("the relay", () =>
    fetch(`http://127.0.0.1:${port[8090]}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  assert.equal(await serving(till).exited, 0);
  const shown = serving(page);
  await shown.until("the page", () => shown.output.includes("page  http"));

  promised("<http://localhost:8082>");
  const { headers } = await fetch(`http://localhost:${port[8082]}`);
  assert.match(headers.get("content-security-policy"), /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
  assert.equal((await fetch(`http://localhost:${port[8082]}/favicon.ico`)).status, 204);
  await arrives(() => window.get(`http://localhost:${port[8082]}`));
  await press("Connect account");
  await window.executeScript("document.querySelector('dialog .pos-connect-close').click()");
  await shows("Not connected: The frame was closed before the merchant decided.");
  await holdTimers(window, ORDER_PATIENCE);
  await press("Charge");
  await says("Order queued: printed (not_connected)");

  await press("Connect account");
  await connects(account, { ereceipts: true });
  await says("Connected to Demo Bakery");

  const keypad = new Keypad(window);
  await press("Charge");
  await keypad.shows();
  promised("`0502345678`");
  await keypad.type("0502345678");
  await pressOnKeypad(keypad, "send", "Send e-receipt");
  await says("Order accepted: no paper");

  await press("Charge");
  await keypad.shows();
  await pressOnKeypad(keypad, "print", "Print receipt");
  await says("Order accepted: printed");

  await arrives(() => window.navigate().refresh());
  await press("Charge");
  await keypad.shows();
  await pressOnKeypad(keypad, "print", "Print receipt");
  await says("Order accepted: printed");

  // The merchant connects once more, and leaves e-receipts out.
  await press("Connect account");
  await connects(account, { ereceipts: false });
  await shows("Connected to Demo Bakery");
  await press("Charge");
  await says("Order accepted: printed");
});

// One page in a real browser, through WebDriver as it is on the wire: all that is needed here is to open a page, to
// type and to read it.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { startDriver } from "../e2e/support/driver.js";
import { engine } from "../e2e/support/environment.js";
import { LIMIT } from "../e2e/support/wait.js";

export async function openBrowser() {
  const { program, opened } = await startDriver({}, async (url) => {
    const call = caller(url);
    return { call, session: await newSession(call) };
  });
  const { call, session } = opened;
  return {
    open: (url) => call("POST", `${session}/url`, { url }),
    evaluate: (script) => call("POST", `${session}/execute/sync`, { script, args: [] }),
    /** Keys of a keyboard, one after the other, at a person's pace. */
    type: (keys) => call("POST", `${session}/actions`, { actions: [keyboard([...[...keys].flatMap(stroke), BREATH])] }),
    /** Actions of WebDriver's key source, such as `{ type: "keyDown", value: "\uE007" }`. */
    keys: (actions) => call("POST", `${session}/actions`, { actions: [keyboard(actions)] }),
    close: () => call("DELETE", session).finally(() => program.stop()),
  };
}

/** A person's, before Enter: a scanner has none. */
const BREATH = { type: "pause", duration: 100 };
const keyboard = (actions) => ({ type: "key", id: "keyboard", actions });
const stroke = (value) => [
  { type: "keyDown", value },
  { type: "keyUp", value },
  { type: "pause", duration: 60 },
];

async function newSession(call) {
  const { sessionId } = await call("POST", "/session", { capabilities: { alwaysMatch: await capabilities() } });
  return `/session/${sessionId}`;
}

/** What the page says in `document.body.dataset.result`, once it says something. */
export async function resultOf(browser, url, seconds = 60) {
  // WebKit's driver may be back while the page before is still there: that one says nothing any more.
  await browser.evaluate("delete document.body?.dataset.result");
  await browser.open(url);
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(50)) {
    const result = await browser.evaluate("return document.body?.dataset.result ?? null");
    if (result !== null) return JSON.parse(result);
  }
  throw new Error(`${url} gave no result within ${seconds} seconds`);
}

async function capabilities() {
  if (engine() === "webkit") return {};
  const shared = JSON.parse(await readFile(new URL("../../webdriver.json", import.meta.url), "utf8"));
  if (engine() === "firefox") return { "moz:firefoxOptions": { ...shared["moz:firefoxOptions"], args: ["-headless"] } };
  const args = [...shared["goog:chromeOptions"].args, "headless", "no-sandbox", "disable-dev-shm-usage"];
  return { "goog:chromeOptions": { ...shared["goog:chromeOptions"], args } };
}

function caller(base) {
  return async (method, path, body) => {
    const headers = { "content-type": "application/json" };
    const signal = AbortSignal.timeout(LIMIT);
    const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body), signal });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value.message}`);
    return value;
  };
}

// @engines chromium: only its driver sets the size of the browser's text
// The connect dialog of the package, and the connect page in it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before } from "node:test";
import { ConnectFrame } from "../e2e/support/connect-frame.js";
import { becomes } from "../e2e/support/wait.js";
import { CONSENT, scrolls, SIGN_IN, UNSEEN_ASKS } from "./support/connect.js";
import { stage } from "./support/stage.js";

const screens = stage("dialog");
const AROUND = { scope: ".pos-connect-dialog" };
// Text under the page's actions, which stay in sight, has no background that axe could decide on.
const PAGE = { scope: "body", frame: ".pos-connect-frame", undecided: false };

const dialog = (name, enter, parts, more) => screens.state(name, { enter, parts, scrolls, ...more });

/** The page in the frame. */
const frame = () => new ConnectFrame(screens.window);

/** The windows that an earlier view has opened go. */
async function closeOthers() {
  const { window } = screens;
  const own = await window.getWindowHandle();
  for (const other of (await window.getAllWindowHandles()).filter((handle) => handle !== own)) {
    await window.switchTo().window(other);
    await window.close();
  }
  await window.switchTo().window(own);
}

async function opens({ language }) {
  await closeOthers();
  await bypass(false);
  await screens.open();
  await screens.call("connect", { locale: language });
  await frame().shows("sign-in");
}

async function signsIn(view, account = screens.service.settings.account) {
  await opens(view);
  await frame().signIn(account);
}

// A connect page that never answers.
const silent = createServer(() => {});
before(() => new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve)));
after(() => {
  silent.closeAllConnections();
  silent.close();
});

// The demo's policy allows the service's own page alone.
const bypass = (enabled) => screens.window.sendDevToolsCommand("Page.setBypassCSP", { enabled });

/** It is waited for: `slow` says for how long. */
const waits = (css, slow) => async ({ language }) => {
  await closeOthers();
  await bypass(true);
  await screens.open();
  const connectUrl = `http://127.0.0.1:${silent.address().port}/connect`;
  await screens.call("connect", { locale: language, connectUrl, slow });
  await screens.until("return document.querySelector(arguments[0])?.checkVisibility()", `Never: ${css}.`, css);
};

const click = (css) => screens.run("document.querySelector(arguments[0]).click()", css);

dialog("sign-in", opens, [AROUND, PAGE], SIGN_IN);
dialog("wrong password", async (view) => {
  await signsIn(view, { email: `${view.language}@demo.example`, password: "wrong" });
  await frame().refusesSignIn();
}, [AROUND, PAGE], SIGN_IN);
dialog("consent", async (view) => {
  await signsIn(view);
  await frame().shows("consent");
  if (view.percent !== 100) return;
  const unseen = () => frame().inside(() => screens.run(UNSEEN_ASKS));
  await becomes(unseen, [], `below the fold: ${view.size}`);
}, [AROUND, PAGE], CONSENT);
const phones = async (view) => {
  await opens(view);
  await click(".pos-connect-phone");
  await screens.until("return document.querySelector('.pos-connect-qr path') !== null", "The code never came.");
};
dialog("phone", phones, [AROUND]);
dialog("phone, forced colors", async (view) => {
  await phones(view);
  const colors = await screens.run(
    "return ['rect', 'path'].map((part) => getComputedStyle(document.querySelector('.pos-connect-qr ' + part)).fill)",
  );
  assert.deepEqual(colors, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], "a camera knows nothing else");
}, [AROUND], { forced: true });
dialog("window", async (view) => {
  await opens(view);
  const own = await screens.window.getWindowHandle();
  await click(".pos-connect-open-window");
  await screens.until("return document.querySelector('.pos-connect-away').checkVisibility()", "No window was opened.");
  await screens.window.switchTo().window(own);
}, [AROUND]);
dialog("loading", waits(".pos-connect-loading", "never"), [AROUND]);
dialog("slow", waits(".pos-connect-slow", "at once"), [AROUND]);
dialog("connected", async (view) => {
  // The driver's clicks miss what lies below other things.
  await screens.dress({ ...view, size: [1280, 800], percent: 100 });
  await signsIn(view);
  await frame().connect({ ereceipts: true });
  await screens.until("return document.querySelector('.pos-connect-done-title') !== null", "It never said so.");
}, [{ scope: ".pos-connect-done", undecided: false }]);

// The connect dialog of the package, and the connect page in it.
import { ConnectFrame } from "../e2e/support/connect-frame.js";
import { stage } from "./support/stage.js";

const screens = stage("dialog");
const AROUND = { scope: ".pos-connect-dialog" };
const PAGE = { scope: "body", frame: ".pos-connect-frame" };

const dialog = (name, enter, parts, more) => screens.state(name, { enter, parts, scrolls, ...more });

/** Large text may be scrolled to. */
const scrolls = ({ percent }) => (percent > 100 ? "all" : "nothing");
/** What the till will be able to do is a list: its end may be scrolled to. */
const scrollsList = ({ percent }) => (percent > 100 ? "all" : "text");

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
  await screens.open();
  await screens.call("connect", { locale: language });
  await frame().shows("sign-in");
}

async function signsIn(view, account = screens.service.settings.account) {
  await opens(view);
  await frame().signIn(account);
}

const click = (css) => screens.run("document.querySelector(arguments[0]).click()", css);

dialog("sign-in", opens, [AROUND, PAGE]);
dialog("wrong password", async (view) => {
  await signsIn(view, { email: `${view.language}@demo.example`, password: "wrong" });
  await frame().refusesSignIn();
}, [AROUND, PAGE]);
dialog("consent", async (view) => {
  await signsIn(view);
  await frame().shows("consent");
}, [AROUND, PAGE], { scrolls: scrollsList });
dialog("phone", async (view) => {
  await opens(view);
  await click(".pos-connect-phone");
  await screens.until("return document.querySelector('.pos-connect-qr path') !== null", "The code never came.");
}, [AROUND]);
dialog("window", async (view) => {
  await opens(view);
  const own = await screens.window.getWindowHandle();
  await click(".pos-connect-open-window");
  await screens.until("return document.querySelector('.pos-connect-away').checkVisibility()", "No window was opened.");
  await screens.window.switchTo().window(own);
}, [AROUND]);

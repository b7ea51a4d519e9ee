// @engines chromium: only its driver sets the size of the browser's text
// The connect page in a window of its own, as a phone shows it, too. Its first pages are in `first.test.js`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../e2e/support/axe.js";
import { resize } from "../e2e/support/browser.js";
import { CONSENT, SIGN_IN, states } from "./support/connect.js";
import { SIZES } from "./support/matrix.js";
import { stage } from "./support/stage.js";

const screens = stage("connect");
const { page, opens, visits, shows, press, says, signsIn, consents, finishes } = states(screens);

page("wrong password", async (view) => {
  await opens(view);
  await signsIn({ email: `${view.language}@demo.example`, password: "wrong" });
  await says("sign-in-error");
}, SIGN_IN);
page("no store", async (view) => {
  await consents(view);
  await screens.run(`
    const stores = document.querySelectorAll("[name=store]");
    for (const store of stores) store.value = "none";
    stores[0].click();`);
  await press("connect");
  await says("store-error");
}, CONSENT);
page("finished", finishes);
page("cancelled", async (view) => {
  await opens(view);
  await press("cancel");
  await shows("cancelled");
});
page("no vendor", visits(""));
page("connections sign-in", visits("connections"));
const connections = async (view) => {
  await finishes(view);
  await visits("connections")(view);
  await signsIn();
  await shows("connections");
  await screens.run("document.querySelector('details').open = true");
};
page("connections", connections, { scrolls: () => "all" });
page("disconnected", async (view) => {
  await connections(view);
  await screens.run("document.querySelector('.danger').click()");
  await says("notice");
}, { scrolls: () => "all" });

// Its tables are wider than a phone, and scroll.
test("connect: the page of the calls does not scroll sideways, and axe finds nothing", async () => {
  await screens.dress({ size: [360, 640], percent: 100, language: "en", theme: "light" });
  await visits("/reference")({ language: "en" });
  for (const [width, height] of SIZES) {
    await resize(screens.window, width, height);
    const across = await screens.run(
      "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth - clientWidth",
    );
    assert.ok(across <= 0, `At ${width} it scrolls sideways by ${across}.`);
  }
  // The last of the sizes: of a column that is scrolled out of sight axe cannot decide.
  assert.deepEqual(await violations(screens.window, "body"), []);
  assert.ok((await screens.run("return document.querySelectorAll('section table').length")) > 20);
});

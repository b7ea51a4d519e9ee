// The states of the connect page in a window of its own, and how each comes about.

import assert from "node:assert/strict";

/** Large text may be scrolled to. */
export const scrolls = ({ percent }) => (percent > 100 ? "all" : "nothing");
/** That a merchant can disconnect may be scrolled to on a low screen; the fields and the buttons may not. */
export const SIGN_IN = { below: ".any-time" };
/** What e-receipts cost may be scrolled to; what the till will be able to do, and all that is chosen from, may not, at
 * the usual text size. In a window as low as a phone on its side, e-receipts as a whole may. */
export const CONSENT = { scrolls: () => "all" };
/** What of these is not in sight above the actions, which stay. */
export const UNSEEN_ASKS = `
  const end = document.querySelector(".actions").getBoundingClientRect().top;
  const choices = innerHeight > 400 ? ".choice" : ".stores .choice";
  const asks = Array.from(document.querySelectorAll("#asks li, " + choices));
  return asks.filter((one) => one.getBoundingClientRect().bottom > end + 0.5).map((one) => one.textContent);`;

/** What a file of states makes them with. `arrives(view)` is waited for on each page that was opened. */
export function states(screens, arrives = async () => {}) {
  // Text under the actions, which stay in sight, has no background that axe could decide on.
  const parts = [{ scope: "body", undecided: false }];
  const page = (name, enter, more) =>
    screens.state(name, {
      enter: async (view) => {
        await enter(view);
        await arrives(view);
      },
      parts,
      scrolls,
      ...more,
    });
  const goes = ({ href }) => screens.window.get(href);
  /** The connect page of a new integration, in a view's language. */
  const opens = async ({ language }) => {
    await screens.open();
    await screens.call("connect");
    await screens.until("return document.querySelector('.pos-connect-link')?.href", "There is no link.");
    const url = new URL(await screens.call("link"));
    url.searchParams.set("lang", language);
    await goes(url);
  };
  /** A page of the service that no integration leads to. */
  const visits = (path) => async ({ language }) => {
    const url = new URL(path, screens.service.settings.connectUrl);
    url.searchParams.set("lang", language);
    await goes(url);
  };
  const shows = (name) => screens.until("return document.body.dataset.page === arguments[0]", `Never: ${name}.`, name);
  const press = (id) => screens.run("document.getElementById(arguments[0]).click()", id);
  const signsIn = async ({ email, password } = screens.service.settings.account) => {
    const fill = "for (const [id, text] of Object.entries(arguments[0])) document.getElementById(id).value = text;";
    await screens.run(fill, { email, password });
    await press("sign-in");
  };
  const consents = async (view) => {
    await opens(view);
    await signsIn();
    await shows("consent");
    if (view.percent === 100) assert.deepEqual(await screens.run(UNSEEN_ASKS), [], "below the fold");
  };
  const finishes = async (view) => {
    await consents(view);
    await screens.run("document.querySelector('[name=store]').click()");
    await press("connect");
    await shows("finished");
  };
  /** Waits for what the page says after a form was sent. */
  const says = (id) => screens.until("return document.getElementById(arguments[0]) !== null", `Never: ${id}.`, id);
  return { page, opens, visits, shows, press, says, signsIn, consents, finishes };
}

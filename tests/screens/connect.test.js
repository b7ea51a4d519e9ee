// The connect page in a window of its own, as a phone shows it, too.
import { stage } from "./support/stage.js";

const screens = stage("page");
const page = (name, enter, more) => screens.state(name, { enter, parts: [{ scope: "body" }], scrolls, ...more });

/** Large text may be scrolled to. */
const scrolls = ({ percent }) => (percent > 100 ? "all" : "nothing");
/** What the till will be able to do is a list: its end may be scrolled to. */
const scrollsList = ({ percent }) => (percent > 100 ? "all" : "text");

/** The connect page of a new integration, in a view's language. */
async function opens({ language }) {
  await screens.open();
  await screens.call("connect");
  await screens.until("return document.querySelector('.pos-connect-link')?.href", "There is no link.");
  const url = new URL(await screens.call("link"));
  url.searchParams.set("lang", language);
  await screens.window.get(url.href);
}

const shows = (name) => screens.until("return document.body.dataset.page === arguments[0]", `Never: ${name}.`, name);
const fill = (id, text) => screens.run("document.getElementById(arguments[0]).value = arguments[1]", id, text);
const press = (id) => screens.run("document.getElementById(arguments[0]).click()", id);

async function signsIn(account = screens.service.settings.account) {
  await fill("email", account.email);
  await fill("password", account.password);
  await press("sign-in");
}

page("sign-in", opens);
page("wrong password", async (view) => {
  await opens(view);
  await signsIn({ email: `${view.language}@demo.example`, password: "wrong" });
  await screens.until("return document.getElementById('sign-in-error') !== null", "The sign-in was never refused.");
});
const consents = async (view) => {
  await opens(view);
  await signsIn();
  await shows("consent");
};
page("consent", consents, { scrolls: scrollsList });
page("no store", async (view) => {
  await consents(view);
  await screens.run(`
    const stores = document.querySelectorAll("[name=store]");
    for (const store of stores) store.value = "none";
    stores[0].click();`);
  await press("connect");
  await screens.until("return document.getElementById('store-error') !== null", "No store was never missed.");
}, { scrolls: (view) => (view.size[1] < 400 ? "all" : scrollsList(view)) });
page("finished", async (view) => {
  await consents(view);
  await screens.run("document.querySelector('[name=store]').click()");
  await press("connect");
  await shows("finished");
});
page("cancelled", async (view) => {
  await opens(view);
  await press("cancel");
  await shows("cancelled");
});
page("no vendor", async ({ language }) => {
  const url = new URL(screens.service.settings.connectUrl);
  url.search = new URLSearchParams({ lang: language });
  await screens.window.get(url.href);
});
page("connections sign-in", async ({ language }) => {
  const url = new URL("connections", screens.service.settings.connectUrl);
  url.search = new URLSearchParams({ lang: language });
  await screens.window.get(url.href);
});

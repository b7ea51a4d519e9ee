import assert from "node:assert/strict";
import { By, error, until } from "selenium-webdriver";
import { ConnectFrame } from "./connect-frame.js";

const TIMEOUT = 20_000;

/** A page of the demo till in a real browser. */
export class Till {
  #window;
  #url;
  #outline;

  constructor(window, url) {
    this.#window = window;
    this.#url = url;
    this.frame = new ConnectFrame(window);
  }

  /**
   * Deletes the databases that the browser keeps of the till, and ends on a picture; what kept it from that, or null.
   */
  async forget() {
    // One that listens to `unload` is not kept for the back button: WebKit would wait for ever for the storage of a
    // page that sleeps there.
    await this.#window.executeScript('addEventListener("unload", () => {})');
    // A picture of the same origin: a page with a storage open could not delete it, and WebKit dresses plain text
    // against the policy.
    await this.#window.get(new URL("art/mark.svg", this.#url).href);
    this.#outline = null;
    return this.#window.executeAsyncScript(`
      const done = arguments[0];
      setTimeout(done, 5000, "a database was not deleted in 5 s");
      const remove = ({ name }) => new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name);
        request.onsuccess = resolve;
        request.onerror = request.onblocked = () => reject(new Error("a database could not be deleted"));
      });
      const all = indexedDB.databases().then((all) => Promise.all(all.map(remove)));
      all.then(() => done(null), (error) => done(String(error)));`);
  }

  /** Puts a text under each name in the local storage, for the next page. */
  async store(texts) {
    await this.#window.executeScript(
      "for (const [name, text] of Object.entries(arguments[0])) localStorage.setItem(name, text);",
      texts,
    );
  }

  /** Opens a page of the till, and waits until it can connect. */
  async reopen(page = "") {
    await this.#window.get(new URL(page, this.#url).href);
    // WebKit's driver may be back before the page is there.
    const button = await this.#window.wait(until.elementLocated(By.css("#connect")), TIMEOUT, "The till never came.");
    await this.#window.wait(until.elementIsEnabled(button), TIMEOUT, "The connect button never woke up.");
    await this.#window.wait(
      () => this.#window.executeScript("return !document.querySelector('#login').hidden"),
      TIMEOUT,
      "The demo login never came.",
    );
    this.#outline ??= await this.#sketch(); // One that goes on with an integration may have its dialog by now.
  }

  element(css) {
    return this.#window.findElement(By.css(css));
  }

  /** Clicks it once it is in reach: the dialog with its last word, who is connected, goes by itself. */
  async click(css) {
    const says = () => this.#window.executeScript("return document.querySelector('.pos-connect-done') !== null");
    let reason = "the dialog's last word stays";
    const clicks = async () => {
      if (await says()) return false;
      return this.element(css)
        .click()
        .then(
          () => true,
          (thrown) => {
            const isCovered =
              thrown instanceof error.ElementNotInteractableError ||
              thrown instanceof error.ElementClickInterceptedError;
            if (!isCovered) throw thrown;
            reason = thrown.message || thrown.name;
            return false;
          },
        );
    };
    await this.#window
      .wait(clicks, TIMEOUT)
      .catch((late) => assert.fail(late instanceof error.TimeoutError ? `No click on ${css}: ${reason}` : late));
  }

  /** Clicks what an open dialog, or another part on top, would hide from the mouse. */
  async provoke(code) {
    const button = await this.#window.findElement(
      By.xpath(`//ul[@id="provocations"]//button[normalize-space(code)="${code}"]`),
    );
    await this.#window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", button);
    await button.click();
  }

  async text(css) {
    return this.#window.executeScript(
      "return document.querySelector(arguments[0])?.textContent.trim().replace(/\\s+/g, ' ')",
      css,
    );
  }

  /** Waits until an element's text is, or matches, `expected`. */
  async says(css, expected) {
    let text;
    const fits = () => (expected instanceof RegExp ? expected.test(text) : text === expected);
    await this.#window
      .wait(async () => {
        text = await this.text(css);
        return fits();
      }, TIMEOUT)
      .catch(() => assert.fail(`${css} says "${text}", not ${expected}.`));
  }

  /** Every step in the panel: `{ kind, code, text, facts }`. */
  steps() {
    return this.#window.executeScript(`
    const text = (row, tag) => row.querySelector(tag).textContent;
    const facts = (item) => Array.from(item.querySelectorAll(".facts > div"), (row) => [text(row, "dt"), text(row, "dd")]);
    return Array.from(document.querySelectorAll("#steps > li"), (item) => ({
      kind: item.dataset.kind,
      code: item.dataset.code ?? "",
      text: item.textContent.trim().replace(/\\s+/g, " "),
      facts: Object.fromEntries(facts(item)),
    }))`);
  }

  /** Waits for a step of that code; gives it. */
  async step(code) {
    let steps = [];
    return this.#window
      .wait(async () => {
        steps = await this.steps();
        return steps.find((step) => step.code === code);
      }, TIMEOUT)
      .catch(() => assert.fail(`No step "${code}" among:\n${steps.map((step) => step.text).join("\n")}`));
  }

  /** Waits until no flow runs. */
  async rests() {
    await this.#window.wait(async () => (await this.text("#connect")) !== "Stop", TIMEOUT, "The flow never ended.");
  }

  /** The package has taken everything out of the page that it put there. */
  async isTidy() {
    const dialogs = () => this.#window.executeScript("return document.querySelectorAll('dialog').length");
    await this.#window.wait(async () => (await dialogs()) === 0, TIMEOUT, "A dialog stays.");
    // What became of a receipt is shown for two seconds.
    const keypads = () =>
      this.#window.executeScript("return document.body.querySelectorAll(':scope > ereceipt-keypad').length");
    await this.#window.wait(async () => (await keypads()) === 0, TIMEOUT, "A keypad stays.");
    // Who is connected, for a moment and a half.
    const cards = () => this.#window.executeScript("return document.querySelectorAll('.pos-connect-done').length");
    await this.#window.wait(async () => (await cards()) === 0, TIMEOUT, "The card of the connection stays.");
    assert.deepEqual(await this.#sketch(), this.#outline);
    const left = await this.#window.executeScript("return document.querySelectorAll('iframe, dialog, [inert]').length");
    assert.equal(left, 0);
  }

  /** No token, secret or password outside the login hint is in the page's text. */
  async keepsSecrets({ clientSecret, account }) {
    const text = await this.#window.executeScript(`
      const copy = document.documentElement.cloneNode(true);
      copy.querySelector("#login")?.remove();
      return copy.outerHTML;`);
    for (const secret of [clientSecret, account.password])
      assert.ok(!text.includes(secret), "The page shows a secret.");
    assert.doesNotMatch(text, /[a-z]+_[A-Za-z0-9_-]{30,}/, "The page shows something like a token.");
  }

  focused() {
    return this.#window.executeScript("return document.activeElement?.id || document.activeElement?.localName");
  }

  /** What stands directly in the page, its head and its body. */
  #sketch() {
    return this.#window.executeScript(`return [document.documentElement, document.head, document.body].map(
      (parent) => Array.from(parent.children, (child) => child.localName + (child.id && "#" + child.id)).join(" "))`);
  }
}

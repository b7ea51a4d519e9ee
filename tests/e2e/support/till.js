import assert from "node:assert/strict";
import { By, error, Key } from "selenium-webdriver";
import { ConnectFrame } from "./connect-frame.js";
import { becomes, eventually, reads } from "./wait.js";

/** Why a click has to wait: something covers the element, or it is not there yet. */
const NOT_YET = [
  error.ElementNotInteractableError,
  error.ElementClickInterceptedError,
  error.NoSuchElementError,
  error.StaleElementReferenceError,
];

/** A page of the demo till in a real browser. What it says is waited for: nothing is looked at once. */
export class Till {
  #window;
  #url;
  #outline;

  constructor(window, url, home) {
    this.#window = window;
    this.#url = url;
    this.frame = new ConnectFrame(window, home);
  }

  /**
   * Deletes what the window and the browser's databases keep of the till, and ends on a picture; what kept it from that
   * for `patience` ms, or null.
   */
  async forget(patience = 5_000) {
    // One that listens to `unload` is not kept for the back button: WebKit would wait for ever for the storage of a
    // page that sleeps there.
    await this.#window.executeScript('addEventListener("unload", () => {})');
    // A page with a storage open could not delete it.
    await this.#showPicture();
    this.#outline = null;
    return this.#window.executeAsyncScript(
      `
      const [patience, done] = arguments;
      sessionStorage.clear();
      const forgotten = fetch("/back-end/tokens", { method: "DELETE" }); // No script can delete its cookie.
      setTimeout(done, patience, "a database was not deleted in time");
      const remove = ({ name }) => new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name);
        request.onsuccess = resolve;
        request.onerror = request.onblocked = () => reject(new Error("a database could not be deleted"));
      });
      const all = indexedDB.databases().then((all) => Promise.all(all.map(remove)));
      Promise.all([all, forgotten]).then(() => done(null), (error) => done(String(error)));`,
      patience,
    );
  }

  /** Puts a text under each name in the local storage, and nothing else, for the next page. */
  async store(texts) {
    await this.#window.executeScript(
      `localStorage.clear();
      for (const [name, text] of Object.entries(arguments[0])) localStorage.setItem(name, text);`,
      texts,
    );
  }

  /** Opens a page of the till, and waits until it says that its first state is final. */
  async reopen(page = "") {
    // WebKit's driver may be back while the page before is still there: that one is not ready any more.
    await this.#window.executeScript("delete document.documentElement.dataset.ready");
    await this.#window.get(new URL(page, this.#url).href);
    await this.holds("return document.documentElement?.dataset.ready === ''", true, "The till was never ready.");
    this.#outline ??= await this.#sketch(); // One that goes on with an integration may have its dialog by now.
  }

  /** Whether the page says that a merchant is connected, as it does when it is ready. */
  async isConnected() {
    return (await this.#text("#connection"))?.startsWith("Connected") ?? false;
  }

  /** Connects the merchant, from the button to the header's word. */
  async connect(account, choices) {
    await this.click("#connect");
    await this.frame.signIn(account);
    await this.frame.connect(choices);
    await this.says("#connection", "Connected to Demo Bakery, Old Harbor");
  }

  element(css) {
    return this.#window.findElement(By.css(css));
  }

  /** Clicks it once it is in reach: the dialog with its last word, who is connected, goes by itself. */
  async click(css) {
    let reason;
    const clicks = async () => {
      reason = "the dialog's last word stays";
      if (await this.#count(".pos-connect-done")) return false;
      return this.element(css)
        .click()
        .then(
          () => true,
          (thrown) => {
            if (!NOT_YET.some((kind) => thrown instanceof kind)) throw thrown;
            reason = thrown.message || thrown.name;
            return false;
          },
        );
    };
    await eventually(clicks, () => `No click on ${css}: ${reason}`);
  }

  /** Charges what is rung up, by card. */
  async charge() {
    await this.click("#charge");
    await this.click(".question [value=card]");
  }

  /** Sells the first product. The shopper is asked; one with a `number` taps it and sends. */
  async sell(keypad, number) {
    await this.click("#products button");
    await this.charge();
    await keypad.shows();
    if (!number) return;
    await keypad.tap(number);
    await keypad.click("send");
  }

  /** Types into what has the focus, and presses Enter. */
  async type(text) {
    await this.#window.actions().sendKeys(text, Key.ENTER).perform();
  }

  /** Clicks what an open dialog, or another part on top, would hide from the mouse. */
  async provoke(code) {
    await this.#window.executeScript("document.querySelector('#provoke').open = true");
    const button = await this.#window.findElement(
      By.xpath(`//ul[@id="provocations"]//button[normalize-space(code)="${code}"]`),
    );
    await this.#window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", button);
    await button.click();
  }

  /** Waits until an element's text is, or matches, `expected`; gives it. */
  says(css, expected) {
    return reads(css, () => this.#text(css), expected);
  }

  /** Waits until the element of that ID or kind has the focus. */
  focuses(name) {
    const focused = "return document.activeElement?.id || document.activeElement?.localName";
    return reads("The focus", () => this.#window.executeScript(focused), name);
  }

  /** Waits until a script in the page gives `expected`. */
  holds(script, expected, message) {
    return becomes(() => this.#window.executeScript(script), expected, message);
  }

  /** Waits for a step of that code; gives it: `{ kind, code, text, facts }`. */
  async step(code) {
    let steps = [];
    const found = async () => {
      steps = await this.#steps();
      return steps.find((step) => step.code === code);
    };
    return eventually(found, () => `No step "${code}" among:\n${steps.map((step) => step.text).join("\n")}`);
  }

  /** Waits until no flow runs. */
  async rests() {
    await this.says("#connect", /^(Connect account|Disconnect)$/);
  }

  /**
   * Waits until the package has taken everything out of the page that it put there: who is connected, and what became
   * of a receipt, is shown for a moment.
   */
  async isTidy() {
    await becomes(() => this.#sketch(), this.#outline);
    await becomes(() => this.#count("iframe, dialog, .pos-connect-done, [inert]"), 0);
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

  /**
   * The browser has reported no violation of the policy so far. A report is sent after the fact: one that is made on
   * purpose comes last, and alone.
   */
  async keepsPolicy(service) {
    await this.#showPicture();
    await this.#window.executeScript("new Image().src = 'http://127.0.0.1:9/last.png'");
    await eventually(() => service.violations(), "The last violation was never counted.");
    assert.equal(await service.violations(), 1, "The till violated its own policy.");
  }

  /** A page of the same origin without a script. WebKit dresses plain text against the policy. */
  async #showPicture() {
    const { href } = new URL("art/mark.svg", this.#url);
    await this.#window.get(href);
    // WebKit's driver may be back while the page before is still there.
    await this.holds("return document.readyState === 'complete' && location.href", href);
  }

  #text(css) {
    return this.#window.executeScript(
      "return document.querySelector(arguments[0])?.textContent.trim().replace(/\\s+/g, ' ')",
      css,
    );
  }

  /** Every step in the panel. */
  #steps() {
    return this.#window.executeScript(`
    const text = (row, tag) => row.querySelector(tag).textContent;
    const fact = (row) => [text(row, "dt"), text(row, "dd")];
    const facts = (item) => Array.from(item.querySelectorAll(".facts > div"), fact);
    return Array.from(document.querySelectorAll("#steps > li"), (item) => ({
      kind: item.dataset.kind,
      code: item.dataset.code ?? "",
      text: item.textContent.trim().replace(/\\s+/g, " "),
      facts: Object.fromEntries(facts(item)),
    }))`);
  }

  #count(css) {
    return this.#window.executeScript("return document.querySelectorAll(arguments[0]).length", css);
  }

  /** What stands directly in the page, its head and its body. */
  #sketch() {
    return this.#window.executeScript(`return [document.documentElement, document.head, document.body].map(
      (parent) => Array.from(parent.children, (child) => child.localName + (child.id && "#" + child.id)).join(" "))`);
  }
}

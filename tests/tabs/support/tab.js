import assert from "node:assert/strict";
import { eventually } from "../../e2e/support/wait.js";

/** The page in a tab that WebDriver drives. Every call brings it to the driver's attention first. */
export class Driven {
  #window;
  #url;
  #handle;

  static async open(window, url) {
    const page = new Driven();
    page.#window = window;
    page.#url = url;
    await window.switchTo().newWindow("tab");
    page.#handle = await window.getWindowHandle();
    await page.visit();
    return page;
  }

  async visit() {
    await this.#focus();
    await this.#load(() => this.#window.get(this.#url));
  }

  async run(name, ...args) {
    await this.#focus();
    return this.#window.executeScript("const [name, ...rest] = arguments; return rig[name](...rest)", name, ...args);
  }

  /** "frozen" or "active", as Chromium does with tabs in the background. Frozen, it answers no script. */
  async live(state) {
    await this.#focus();
    await this.#window.sendDevToolsCommand("Page.setWebLifecycleState", { state });
  }

  async reload() {
    await this.#focus();
    await this.#load(() => this.#window.navigate().refresh());
  }

  async close() {
    await this.#focus();
    await this.#window.close();
    const [first] = await this.#window.getAllWindowHandles();
    await this.#window.switchTo().window(first);
  }

  async #focus() {
    await this.#window.switchTo().window(this.#handle);
  }

  // WebKit's driver waits neither for a page's modules nor, now and then, for the page.
  async #load(open) {
    await this.#window.executeScript("delete window.rig");
    await open();
    await eventually(() => this.#window.executeScript("return 'rig' in window"), "The page never loaded.");
  }
}

/** A tab with the page in it. */
export class Tab {
  #page;
  #settings;

  /** `page`: a `Driven`, or one of a `Remote`'s. */
  constructor(page, settings) {
    this.#page = page;
    this.#settings = settings;
  }

  /** Makes the page's `PosConnect`. `persist`: "keep", "hang" or none. */
  async use(service, options = {}) {
    const { connectUrl, clientId, clientSecret } = this.#settings;
    await this.ok("open", {
      baseUrl: service.baseUrl,
      connectUrl,
      clientId,
      clientSecret,
      trustedPage: true,
      ...options,
    });
    return this;
  }

  /** The result of a call that must succeed. */
  async ok(name, ...args) {
    return valued(name, await this.#page.run("call", name, ...args));
  }

  /** The error of a call that must fail. */
  async fails(name, ...args) {
    return failed(name, await this.#page.run("call", name, ...args));
  }

  /** Begins a call whose end is not waited for. */
  async begin(key, name, ...args) {
    await this.#page.run("begin", key, name, ...args);
  }

  /** Begins a call here and in every other tab that shows the page, at once. */
  async everywhere(key, name) {
    await this.#page.run("everywhere", key, name);
  }

  /** The result of a call that was begun, once it has ended: `{ value }` or `{ error }`. */
  async end(key) {
    return this.#page.run("end", key);
  }

  /** Stops all that the page does, in the middle of it. */
  async freeze() {
    await this.#page.live("frozen");
  }

  async thaw() {
    await this.#page.live("active");
  }

  /** The same page, loaded again. */
  async reload() {
    await this.#page.reload();
  }

  /** The page, anew. */
  async visit() {
    await this.#page.visit();
  }

  async close() {
    await this.#page.close();
  }
}

/** The value in what `end` gave. Never shows it. */
export function valued(name, { value, error }) {
  assert.equal(error, undefined, `${name} failed with ${error?.code}.`);
  return value;
}

export function failed(name, { error }) {
  assert.ok(error, `${name} succeeded.`);
  return error;
}

import assert from "node:assert/strict";
import { eventually } from "../../e2e/support/wait.js";

/** A tab with the page in it. What shows the page gives it `run(name, ...args)`, which calls the page. */
export class Tab {
  #settings;

  constructor(settings) {
    this.#settings = settings;
  }

  /** Makes the page's `PosConnect`. `persist`: "keep", "hang" or none. */
  async use(service, options = {}) {
    const { connectUrl, clientId, clientSecret } = this.#settings;
    const whom = { baseUrl: service.baseUrl, connectUrl, clientId, clientSecret };
    await this.ok("open", { ...whom, trustedPage: true, ...options });
    return this;
  }

  /** The result of a call that must succeed. */
  async ok(name, ...args) {
    return valued(name, await this.run("call", name, ...args));
  }

  /** The error of a call that must fail. */
  async fails(name, ...args) {
    return failed(name, await this.run("call", name, ...args));
  }

  /** Begins a call whose end is not waited for. */
  begin(key, name, ...args) {
    return this.run("begin", key, name, ...args);
  }

  /** Begins a call here and in every other tab that shows the page, at once. */
  everywhere(key, name) {
    return this.run("everywhere", key, name);
  }

  /** The result of a call that was begun, once it has ended: `{ value }` or `{ error }`. */
  end(key) {
    return this.run("end", key);
  }
}

/** One that WebDriver drives. Every call brings it to the driver's attention first. */
export class Driven extends Tab {
  #window;
  #url;
  #handle;

  static async open(window, url, settings) {
    const tab = new Driven(settings);
    tab.#window = window;
    tab.#url = url;
    await window.switchTo().newWindow("tab");
    tab.#handle = await window.getWindowHandle();
    await tab.visit();
    return tab;
  }

  /** The page, anew. */
  async visit() {
    await this.#focus();
    await this.#load(() => this.#window.get(this.#url));
  }

  async run(name, ...args) {
    await this.#focus();
    return this.#window.executeScript("const [name, ...rest] = arguments; return rig[name](...rest)", name, ...args);
  }

  /** Stops all that the page does, in the middle of it, as Chromium does in the background. It answers no script. */
  freeze() {
    return this.#live("frozen");
  }

  thaw() {
    return this.#live("active");
  }

  /** The same page, loaded again. */
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

  async #live(state) {
    await this.#focus();
    await this.#window.sendDevToolsCommand("Page.setWebLifecycleState", { state });
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

/** The value in what `end` gave. Never shows it. */
export function valued(name, { value, error }) {
  assert.equal(error, undefined, `${name} failed with ${error?.code}.`);
  return value;
}

export function failed(name, { error }) {
  assert.ok(error, `${name} succeeded.`);
  return error;
}

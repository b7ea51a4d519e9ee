// The pages that merchants see, in a window of their own.
import assert from "node:assert/strict";
import { By } from "selenium-webdriver";
import { violations } from "./axe.js";
import { screenshot } from "./screenshot.js";
import { becomes, reads } from "./wait.js";

/** The link of an integration that nobody has decided yet. */
export async function link({ connectUrl, clientId, clientSecret }, look) {
  const create = new URL("/v1/auth/integration", connectUrl);
  create.search = new URLSearchParams({ client_id: clientId, client_secret: clientSecret });
  const { integrationToken } = await (await fetch(create, { method: "POST" })).json();
  const named = { client_id: clientId, integration_token: integrationToken, ...look };
  return `${connectUrl}?${new URLSearchParams(named)}`;
}

const FLAWS = `
    const [inSight, done] = arguments;
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push("The page scrolls sideways.");
    for (const one of document.querySelectorAll("button, summary, select, .field input, .choice, .links a")) {
      const { width, height } = one.getBoundingClientRect();
      const isSmall = one.checkVisibility() && height < 47.5;
      if (isSmall) found.push("Small: " + one.textContent.trim() + " " + width + "×" + height);
    }
    scrollTo(0, 0);
    // WebKit moves what is sticky with the next picture.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const needed = inSight && document.querySelector(inSight).getBoundingClientRect();
      if (needed && (needed.top < 0 || needed.bottom > innerHeight + 0.5)) found.push("Below the fold: " + inSight);
      done(found);
    }));`;

/** What a merchant does; `shared` is the session, whose window may become another one. */
export class Merchant {
  #shared;

  constructor(shared) {
    this.#shared = shared;
  }

  get #window() {
    return this.#shared.window;
  }

  async shows(page) {
    const shown = "return document.readyState === 'complete' && document.body.dataset.page";
    await becomes(() => this.#window.executeScript(shown).catch(() => null), page, `The page never showed "${page}".`);
  }

  find(css) {
    return this.#window.findElement(By.css(css));
  }

  /** Waits until the element of that ID or kind has the focus. */
  focuses(name) {
    const focused = "return document.activeElement.id || document.activeElement.localName";
    return reads("The focus", () => this.#window.executeScript(focused), name);
  }

  /** Screen readers read the page's heading: it names what has the focus. They read no heading that has it itself. */
  async hears() {
    const heading = await this.find("h1").then((heading) => heading.getText());
    const heard = async () => {
      const focused = await this.#window.switchTo().activeElement();
      return [await focused.getAriaRole(), await focused.getAccessibleName()];
    };
    await becomes(heard, ["main", heading]);
  }

  /** Nothing is what the browser calls invalid, and Firefox tells screen readers: no form and no group either. */
  isFlawless() {
    return becomes(() => this.#window.executeScript("return document.querySelectorAll(':invalid').length"), 0);
  }

  /** Waits until the page says that this is missing. */
  complains(text) {
    const complaint = "return document.querySelector('.error')?.textContent";
    return reads("The complaint", () => this.#window.executeScript(complaint), text);
  }

  async press(css) {
    const button = await this.find(css);
    await this.#window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", button);
    await button.click();
  }

  /** Types a text into the field of each ID. */
  async fill(texts) {
    for (const [id, text] of Object.entries(texts)) {
      const field = await this.find(`#${id}`);
      await field.clear();
      await field.sendKeys(text);
    }
  }

  async signIn(email, password) {
    await this.fill({ email, password });
    await this.press("#sign-in");
  }

  /** Chooses the first store. */
  async choose() {
    const store = await this.find(".choice:has([name=store])");
    await this.#window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", store);
    await store.click();
  }

  /** Nothing sticks out or is too small for a finger, `inSight` is not below the fold, and axe finds nothing. */
  async judge(name, inSight = "") {
    await becomes(() => this.#window.executeAsyncScript(FLAWS, inSight), [], name);
    // Text below the actions, which stay in sight, has no background that axe could decide on.
    assert.deepEqual(await violations(this.#window, "body", { undecided: false }), [], name);
    await screenshot(this.#window, `merchant-${name}`);
  }
}

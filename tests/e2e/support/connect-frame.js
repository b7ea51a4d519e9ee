import { By, until } from "selenium-webdriver";
import { becomes, eventually, LIMIT } from "./wait.js";

/**
 * The page inside the connect frame, as the merchant sees it. Every method starts and ends with the till's page in
 * focus.
 */
export class ConnectFrame {
  #window;
  #home;

  /** @param home puts the till's page in focus */
  constructor(window, home = () => window.switchTo().defaultContent()) {
    this.#window = window;
    this.#home = home;
  }

  /** Waits until the frame shows `page`: sign-in, consent, finished, cancelled or error. */
  async shows(page) {
    const shown = "return document.readyState === 'complete' && document.body.dataset.page";
    // Between two pages there is none.
    const look = () => this.inside(() => this.#window.executeScript(shown)).catch(() => null);
    await becomes(look, page, `The frame never showed "${page}".`);
  }

  async signIn({ email, password }) {
    await this.shows("sign-in");
    await this.inside(async () => {
      await this.#fill("email", email);
      await this.#fill("password", password);
      await this.#press("sign-in");
    });
  }

  /** Chooses the last store, e-receipts or not, and agrees. */
  async connect(choices) {
    await this.choose(choices);
    await this.agree();
  }

  async choose({ ereceipts = false } = {}) {
    await this.shows("consent");
    await this.inside(async () => {
      const stores = await this.#window.findElements(By.css("input[type=radio][name=store]"));
      if (stores.length) await this.#click(stores.at(-1));
      if (ereceipts) await this.#press("ereceipts");
    });
  }

  async agree() {
    await this.inside(() => this.#press("connect"));
  }

  /** Waits until the page has refused the sign-in. */
  async refusesSignIn() {
    const refusal = () => this.inside(() => this.#window.findElement(By.id("sign-in-error"))).catch(() => null);
    await eventually(refusal, "The sign-in was never refused.");
    await this.shows("sign-in");
  }

  async cancel() {
    await this.inside(() => this.#press("cancel"));
  }

  /** Runs `act` with the frame's page in focus. */
  async inside(act) {
    await this.#home();
    const frame = await this.#window.wait(until.elementLocated(By.css("iframe")), LIMIT, "There is no frame.");
    // WebKit's clicks miss in a frame that is half out of sight.
    await this.#window.executeScript("arguments[0].scrollIntoView({ block: 'end' })", frame);
    await this.#window.switchTo().frame(frame);
    try {
      return await act();
    } finally {
      await this.#home();
    }
  }

  async #fill(id, text) {
    const field = await this.#window.findElement(By.id(id));
    await field.click(); // WebKit's driver types only where the focus is, and a frame does not get it by itself.
    await field.clear();
    await field.sendKeys(text);
  }

  async #press(id) {
    await this.#click(await this.#window.findElement(By.id(id)));
  }

  /** Not where the actions cover it, which stay in sight. */
  async #click(element) {
    await this.#window.executeScript("arguments[0].scrollIntoView({ block: 'center' })", element);
    await element.click();
  }
}

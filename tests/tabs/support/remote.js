import assert from "node:assert/strict";
import { startBrowser } from "../../e2e/support/driver.js";
import { endTree, Program } from "../../e2e/support/process.js";
import { inTime, LIMIT } from "../../e2e/support/wait.js";
import { Tab } from "./tab.js";

/**
 * MiniBrowser without WebKit's driver, which would let it keep nothing: its data is below `profile` and stays. One
 * window, with pages in frames, that asks the page server what to do.
 */
export class Remote {
  #program;
  #asked;
  #ask;
  #settle;

  async open(binary, profile, url) {
    const env = Object.fromEntries(
      ["DATA", "CACHE", "CONFIG"].map((kind) => [`XDG_${kind}_HOME`, `${profile}/${kind.toLowerCase()}`]),
    );
    const start = () => {
      this.#await();
      return new Program(binary, [url], { env });
    };
    ({ program: this.#program } = await startBrowser(start, () => this.#asked));
  }

  /** One with the page in a frame of its own. */
  async tab(index, settings) {
    const visit = () => this.#tell("load", index);
    const reload = () => this.#tell("reload", index);
    const run = (...call) => this.#tell("run", index, ...call);
    await visit();
    return Object.assign(new Tab(settings), { visit, reload, run });
  }

  /** The browser's question, which has the answer to the one before. */
  async answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    this.#settle?.(JSON.parse(text));
    this.#ask(response);
  }

  async kill() {
    await endTree(this.#program);
  }

  #await() {
    this.#asked = new Promise((resolve) => {
      this.#ask = resolve;
    });
  }

  async #tell(...command) {
    const response = await this.#answers("ask", this.#asked);
    this.#await();
    const result = new Promise((resolve) => {
      this.#settle = resolve;
    });
    response
      .writeHead(200, { "content-type": "application/json", "cache-control": "no-store" })
      .end(JSON.stringify(command));
    return this.#answers(command[0], result);
  }

  #answers(what, work) {
    const ended = this.#program.exited.then(() => assert.fail("The browser has ended."));
    return inTime(LIMIT, Promise.race([work, ended]), `The browser did not ${what} in time.`);
  }
}

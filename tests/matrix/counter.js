// What a merchant, a cashier and a shopper do at a till, and what the simulation hears of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../e2e/support/playwright.js";
import { endTree, Program } from "../e2e/support/process.js";
import { newProject } from "../package/project.js";

const SECONDS = 1000;
/** Chromium says it of each frame that may keep its origin; it is another one than the page's. */
const KNOWN = /^An iframe which has both allow-scripts and allow-same-origin/;

/** `npx pos-connect dev` of the tarball, and a browser. */
export class Counter {
  static async open() {
    const counter = new Counter();
    counter.project = await newProject();
    const installed = join(counter.project.folder, "node_modules/pos-connect");
    counter.simulation = new Program(process.execPath, [join(installed, "dev.js"), "dev", "--port", "0"]);
    const address = () => /baseUrl: "([^"]+)"/.exec(counter.simulation.output)?.[1];
    counter.address = await counter.simulation.until("address", address);
    counter.objects = await import(pathToFileURL(join(installed, "testing/index.js")));
    counter.browser = await launch();
    return counter;
  }

  async close() {
    await this.browser?.close();
    await endTree(this.simulation);
    await this.project.remove();
  }

  /** A page that nobody has seen, the faults that it reports, and how many WebAssembly files it has fetched. */
  async page(url) {
    const context = await this.browser.newContext();
    const page = await context.newPage();
    const seen = { page, faults: [], wasmFiles: 0, close: () => context.close() };
    page.on("pageerror", (error) => seen.faults.push(String(error)));
    page.on("console", (message) => {
      const isFavicon = message.location().url.endsWith("/favicon.ico");
      const isKnown = isFavicon || KNOWN.test(message.text());
      if (["error", "warning"].includes(message.type()) && !isKnown) seen.faults.push(message.text());
    });
    page.on("response", (response) => {
      if (new URL(response.url()).pathname.endsWith(".wasm")) seen.wasmFiles += 1;
    });
    // The simulation is connected from the page before.
    await fetch(`${this.address}/connection`, { method: "DELETE" });
    this.simulation.output = "";
    await page.goto(url);
    return seen;
  }

  /** Connects, and sells one order with an e-receipt. */
  async sells({ page }) {
    const frame = page.locator("iframe.pos-connect-frame");
    const button = page.getByRole("button", { name: /^Connect/ });
    // A press before the page's script has run does nothing, and a person presses once more.
    for (const end = Date.now() + 60 * SECONDS; !(await shows(frame)); ) {
      assert.ok(Date.now() < end, `no frame: ${await page.locator("body").innerText()}`);
      await button.click({ timeout: SECONDS }).catch(() => {});
    }
    const merchant = this.objects.connectPage(page);
    await merchant.signIn({ email: "merchant@bakery.example", password: "any" });
    await merchant.consent({ ereceipts: true });
    await page.getByText("Corner Bakery").filter({ visible: true }).first().waitFor();
    await page.locator("dialog, iframe.pos-connect-frame").waitFor({ state: "detached" });
    await this.charge(page);
    await this.simulation.until("order", () => this.simulation.output.includes("POST /v1/orders 200"));
  }

  async charge(page) {
    await page.getByRole("button", { name: "Charge" }).click();
    const shopper = this.objects.keypad(page);
    await shopper.type("0502345678");
    await shopper.send();
  }
}

const shows = (frame) =>
  frame.waitFor({ timeout: SECONDS }).then(
    () => true,
    () => false,
  );

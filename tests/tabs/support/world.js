import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { miniBrowser, openBrowser } from "../../e2e/support/browser.js";
import { engine, pathFrom } from "../../e2e/support/environment.js";
import { Forwarder } from "../../e2e/support/forwarder.js";
import { PATIENTLY } from "../../e2e/support/process.js";
import { Service } from "../../e2e/support/service.js";
import { eventually } from "../../e2e/support/wait.js";
import { serve } from "../../package/site.js";
import { decide } from "../../rig/merchant.mjs";
import { Remote } from "./remote.js";
import { Driven } from "./tab.js";

/**
 * WebKit's driver gives MiniBrowser storage that ends with the session: where the profile must stay, MiniBrowser runs
 * without it.
 */
export const DRIVER_KEEPS_PROFILE = engine() !== "webkit";

const PAGE_FOLDER = fileURLToPath(new URL("../page", import.meta.url));

/** One service, one page server, and one browser whose profile is kept, for the tests of a file. */
export function world() {
  const world = new World();
  before(() => world.start(), { timeout: 300_000 });
  after(() => world.stop(), { timeout: 180_000 });
  return world;
}

class World {
  #forwarders = new Set();
  #folder;
  #site;
  #tabs = new Set();
  #others = new Set();
  #remote;

  async start() {
    this.#folder = await mkdtemp(join(tmpdir(), "pos-connect-tabs-"));
    this.profile = join(this.#folder, "profile");
    const pages = join(this.#folder, "pages");
    await cp(PAGE_FOLDER, pages, { recursive: true });
    await cp(pathFrom("POS_PACKAGE_DIR"), join(pages, "pkg"), { recursive: true });
    // Its origin must not change while a profile is kept.
    const remote = (request, response) => this.#remote.answer(request, response);
    this.#site = await serve(pages, undefined, { "/remote": remote });
    this.origin = new URL(this.#site.url).origin;
    // No pause between status calls: a test that asks twice is not told to wait.
    this.service = await Service.start({ till: PAGE_FOLDER, origins: [this.origin], interval: 0 });
    await this.openBrowser();
  }

  /** A test that leaves no tab and no other browser behind. Its name says the engine. */
  test(name, run) {
    test(`${engine()}: ${name}`, async (context) => {
      try {
        await run(context);
      } finally {
        await this.#tidy();
      }
    });
  }

  /** One of what the service or the package's own logic decides: no engine can change it. */
  testInChromium(name, run) {
    if (engine() === "chromium") this.test(name, run);
  }

  /**
   * Something for pages to talk to that no other test talks to. Its port is taken until the end: what an earlier test
   * left in the profile is not found there.
   */
  async forwarder(options) {
    const forwarder = await Forwarder.start(this.service.settings.baseUrl, options);
    this.#forwarders.add(forwarder);
    return forwarder;
  }

  async openBrowser() {
    this.browser = await openBrowser({ profile: this.profile });
  }

  /** A new tab of the browser, or of another one. */
  async tab(window = this.browser.window) {
    const tab = await Driven.open(window, `${this.origin}/`, this.service.settings);
    this.#tabs.add(tab);
    return tab;
  }

  /** So many tabs of the browser. */
  async tabs(count) {
    const all = [];
    while (all.length < count) all.push(await this.tab());
    return all;
  }

  /** So many tabs of a browser whose profile stays when it is killed. */
  async keptTabs(count) {
    if (DRIVER_KEEPS_PROFILE) return this.tabs(count);
    const remote = new Remote();
    this.#remote = remote;
    await remote.open(miniBrowser(), this.profile, `${this.origin}/remote.html`);
    const all = [];
    while (all.length < count) all.push(await remote.tab(all.length, this.service.settings));
    return all;
  }

  async close(tab) {
    this.#tabs.delete(tab);
    await tab.close();
  }

  /** Another browser, with a profile of its own; ends with the test. */
  async otherBrowser() {
    const other = await openBrowser();
    this.#others.add(other);
    return other;
  }

  /** SIGKILL for the browser of the kept tabs and all its processes. */
  async killBrowser() {
    if (!DRIVER_KEEPS_PROFILE) return this.#killRemote();
    await this.browser.kill();
    this.#tabs.clear();
  }

  /** The same profile again, and a tab. */
  async reopenBrowser() {
    if (DRIVER_KEEPS_PROFILE) await this.openBrowser();
    const [tab] = await this.keptTabs(1);
    return tab;
  }

  async #killRemote() {
    await this.#remote?.kill();
    this.#remote = undefined;
  }

  /** The browser ends as a person ends it; the profile stays. */
  async closeBrowser() {
    await this.browser.close();
    this.#tabs.clear();
  }

  /** The merchant consents, without a browser. */
  async consent(integrationToken) {
    const { state } = await decide(
      this.service.settings,
      new URLSearchParams({ integration_token: integrationToken, ereceipts: "on" }),
    );
    if (state !== "finished") throw new Error(`The merchant ended at "${state}".`);
  }

  /** Whether the service takes the access token. */
  async isLive({ accessToken }) {
    const answer = await fetch(`${this.service.settings.baseUrl}/v1/account`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    return answer.status === 200;
  }

  async #tidy() {
    for (const tab of this.#tabs) await tab.close().catch(() => {}); // A tab that a failed test left in a bad state.
    for (const other of this.#others) await other.close();
    await this.#killRemote();
    for (const set of [this.#tabs, this.#others]) set.clear();
  }

  async stop() {
    await this.browser?.close();
    for (const forwarder of this.#forwarders) await forwarder.close();
    await this.#site?.close();
    await this.service?.stop();
    await rm(this.#folder, PATIENTLY);
  }
}

/** Waits until `probe` gives true. */
export const until = (what, probe) => eventually(probe, `It never came: ${what}.`);

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser, resize } from "./browser.js";
import { Service } from "./service.js";
import { Till } from "./till.js";

/**
 * One service and one browser for the tests of a file. At the end no violation of the till's policy may have been reported,
 * unless the file says that it made some. With `relay`, the till talks to one.
 */
export function session({ violates = false, relay = false } = {}) {
  const shared = {};
  before(async () => {
    shared.service = await Service.start({ relay });
    shared.browser = await openBrowser();
    shared.window = shared.browser.window;
    await resize(shared.window, 1280, 800);
    shared.till = new Till(shared.window, shared.service.tillUrl);
  }, { timeout: 90_000 });
  after(async () => {
    try {
      if (shared.service && !violates && !shared.killed) {
        await sleep(500); // A report is sent after the fact.
        assert.equal(await shared.service.violations(), 0, "The till violated its own policy.");
      }
    } finally {
      await shared.browser?.close();
      await shared.service?.stop();
    }
  }, { timeout: 60_000 });
  return shared;
}

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { openBrowser, resize } from "./browser.js";
import { Service } from "./service.js";
import { Till } from "./till.js";

const SIZE = [1280, 800];

/**
 * One service and one browser for the tests of a file. At the end no violation of the till's policy may have been
 * reported, unless the file says that it made some. With `relay`, the till talks to one. `brand` and
 * `script` are the service's.
 */
export function session({ violates = false, ...options } = {}) {
  const shared = { open: (choices) => open(shared, choices) };
  before(
    async () => {
      shared.service = await Service.start(options);
      await start(shared);
    },
    { timeout: 300_000 },
  );
  after(
    async () => {
      try {
        if (shared.service && !violates && !shared.killed) {
          await shared.till.keepsPolicy(shared.service);
        }
      } finally {
        await shared.browser?.close();
        await shared.service?.stop();
      }
    },
    { timeout: 180_000 },
  );
  return shared;
}

async function start(shared) {
  shared.browser = await openBrowser();
  shared.window = shared.browser.window;
  shared.till = new Till(shared.window, shared.service.tillUrl);
  await resize(shared.window, ...SIZE);
}

/**
 * Opens a page of the till, with its panel beside it, in a browser that remembers nothing of an earlier one but
 * `stored`, in its local storage; nor does a relay.
 * Gives `{ till, window, service }`: the browser may be another one than before.
 */
async function open(shared, { page = "", size = SIZE, stored = {} } = {}) {
  const kept = await shared.till.forget();
  if (kept !== null) {
    // WebKit now and then keeps a database for ever whose page was left. The next tests need not pay for that.
    console.log(`a new browser, because the old one remembers: ${kept}`);
    await shared.browser.close();
    await start(shared);
    assert.equal(await shared.till.forget(), null);
  }
  await shared.service.relay?.disconnect();
  await shared.till.store({ "till-panel": "true", ...stored });
  await shared.till.reopen(page);
  await resize(shared.window, ...size); // A picture would not tell: it has no width of its own on a phone.
  return shared;
}

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { openBrowser, resize } from "./browser.js";
import { PATIENTLY } from "./process.js";
import { Service } from "./service.js";
import { Till } from "./till.js";

const SIZE = [1280, 800];

/**
 * One service and one browser for the tests of a file. At the end no violation of the till's policy may have been
 * reported, unless the file says that it made some. With `relay`, the till talks to one. `brand` and
 * `script` are the service's. With `dies`, `killBrowser` is there: the next one has the same profile.
 */
export function session({ violates = false, dies = false, ...options } = {}) {
  const shared = { open: (choices) => open(shared, choices), forget: () => forget(shared) };
  shared.killBrowser = async () => {
    await shared.browser.kill();
    await start(shared);
  };
  before(
    async () => {
      if (dies) shared.profile = await mkdtemp(join(tmpdir(), "pos-connect-profile-"));
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
        await Promise.all([shared.browser?.close(), shared.service?.stop()]);
        if (dies) await rm(shared.profile, PATIENTLY);
      }
    },
    { timeout: 180_000 },
  );
  return shared;
}

/**
 * Opens a till that is connected, to an account with e-receipts, in a country whose numbers begin with 05. A relay that
 * an earlier test has connected still is.
 */
export async function connected(shared, choices) {
  const stored = { "till-receipt": JSON.stringify({ region: "IL", ...choices }) };
  const { till, service } = await shared.open({ stored, keepsConnection: true });
  if (!(await till.isConnected())) await till.connect(service.settings.account, { ereceipts: true });
  await till.says("#token-ereceipt", "on");
}

async function start(shared) {
  shared.browser = await openBrowser({ profile: shared.profile });
  shared.window = shared.browser.window;
  shared.till = new Till(shared.window, shared.service.tillUrl);
  await resize(shared.window, ...SIZE);
}

/** The browser remembers nothing; it may be another one than before. */
async function forget(shared) {
  const kept = await shared.till.forget();
  if (kept === null) return;
  // WebKit now and then keeps a database for ever whose page was left. The next tests need not pay for that.
  console.log(`a new browser, because the old one remembers: ${kept}`);
  await shared.browser.close();
  await start(shared);
  assert.equal(await shared.till.forget(60_000), null);
}

/**
 * Opens a page of the till, with its panel beside it, in a browser that remembers nothing of an earlier one but
 * `stored`, in its local storage; nor does a relay, unless it `keepsConnection`.
 * Gives `{ till, window, service }`: the browser may be another one than before.
 */
async function open(shared, { page = "", size = SIZE, stored = {}, keepsConnection = false } = {}) {
  await forget(shared);
  if (!keepsConnection) await shared.service.relay?.disconnect();
  await shared.till.store({ "till-panel": "true", ...stored });
  await shared.till.reopen(page);
  await resize(shared.window, ...size); // A picture would not tell: it has no width of its own on a phone.
  return shared;
}

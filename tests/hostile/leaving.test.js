// Pages that are left while they write: what they leave behind must not hold up the next one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { resultOf } from "../package/browser.js";
import { hostile } from "./site.js";

const PAGES = 15;

const shared = hostile();

test("a page that is left while it writes does not block the storage of the next", async () => {
  for (let page = 0; page < PAGES; page += 1) {
    const { failed } = await resultOf(shared.browser, `${shared.url}leaving.html?page=${page}`, 60);
    // A storage that is blocked is given up after 10 s.
    assert.equal(failed, undefined, `page ${page}`);
    // Another moment of its work each time.
    await sleep(20 + 7 * page);
  }
});

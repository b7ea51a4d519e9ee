// What a till sees of the client: one suite for the real package in a page, and for the fake of pos-connect/testing.
//
// A case has the `script` of `fakePosConnect`; `run` gives JSON, and `gives` is what that must be. The hosts make the
// client: `testing.test.js` the fake, `real.js` the real one, whose service and shopper follow the same script.
// What the fake cannot do is a case with `lacks`, which says why.
import { connecting, steps } from "./connecting.js";
import { merchant, orders } from "./orders.js";
import { receipts } from "./receipts.js";
import { sales } from "./sales.js";
import { states } from "./state.js";

export const CASES = [...connecting, ...steps, ...receipts, ...orders, ...sales, ...merchant, ...states];

/** What each case gives with the clients that `host` makes: `{ name: value }`. */
export async function results(host) {
  const all = {};
  for (const { name, script = {}, run } of CASES) {
    const heard = [];
    const callbacks = { onOutbox: ({ state }) => heard.push(state), onConnectionEnded: () => heard.push("ended") };
    try {
      const made = await host(script, callbacks);
      heard.length = 0;
      all[name] = JSON.parse(JSON.stringify(await run({ ...made, heard })));
      await made.end?.();
    } catch (thrown) {
      all[name] = `threw ${thrown?.stack ?? thrown}`;
    }
  }
  return all;
}

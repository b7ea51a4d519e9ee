// What a till sees of the client: one suite for the fake of pos-connect/testing, and for the real package over the
// service of pos-connect/testing, in a page and in Node.
//
// A case has the `script` of `fakePosConnect`; `run` gives JSON, and `gives` is what that must be. The hosts make the
// client: `testing.test.js` the fake, `client.js` the real one, `real.js` its shopper. What the fake cannot do is a
// case with `lacks`, which says why. `isInPage`: the real client needs a page for it.
import { connecting, steps } from "./connecting.js";
import { merchant, orders } from "./orders.js";
import { receipts } from "./receipts.js";
import { sales } from "./sales.js";
import { states } from "./state.js";

const inPage = (cases) => cases.map((one) => ({ ...one, isInPage: true }));

export const CASES = [
  ...inPage(connecting),
  ...steps,
  ...inPage(receipts),
  ...orders,
  ...inPage(sales),
  ...merchant,
  ...states,
];

/** What each case gives with the clients that `host` makes: `{ name: value }`. */
export async function results(cases, host) {
  const all = {};
  for (const { name, script = {}, run } of cases) {
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

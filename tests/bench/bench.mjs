// `cargo xtask bench` starts this with the parts to run. Whatever is compared takes turns in one browser, each run in a
// page that was loaded anew. Prints medians of the runs.
import { openBrowser } from "../e2e/support/browser.js";
import * as keypad from "./keypad.mjs";
import * as phone from "./phone.mjs";
import * as ready from "./ready.mjs";
import { serve } from "./server.mjs";

const parts = { phone, keypad, ready };
const asked = process.env.POS_PARTS?.split(",") ?? Object.keys(parts);
const routes = {};
for (const name of asked) Object.assign(routes, await parts[name].routes());

const { origin, close: closeServer } = await serve(routes);
const { window, close } = await openBrowser();
const missed = [];
try {
  await window.manage().setTimeouts({ script: 120_000 });
  for (const name of asked) missed.push(...await parts[name].measure(window, origin));
} finally {
  await close();
  closeServer();
}
for (const bar of missed) console.log(`MISSES ${bar}`);
if (missed.length) process.exitCode = 1;

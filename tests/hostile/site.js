// The pages of this suite, and what they bring along.
import { readFile } from "node:fs/promises";
import { installed } from "../package/installed.js";

/** Files of other suites: the service in the page, and the clock that stands still. */
const BORROWED = {
  "service.js": "../flow/service.js",
  "clock.js": "../privacy/page/clock.js",
  "lockdown.umd.js": "node_modules/ses/dist/lockdown.umd.js",
};

const folder = new URL("page/", import.meta.url);

/** The source of a file of the page. */
export const source = (name) => readFile(new URL(name, folder), "utf8");

/** For the tests of a file: `{ url, browser }`. */
export function hostile() {
  const borrowed = Object.entries(BORROWED).map(([name, path]) => [name, new URL(path, import.meta.url)]);
  return installed(folder, Object.fromEntries(borrowed));
}

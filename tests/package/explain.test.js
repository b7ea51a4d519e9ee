// @tier first
// @engines chromium: no browser is opened
// What `explain` says to a cashier: for each code, in each language.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { pathFrom } from "../e2e/support/environment.js";
import { wordsOf } from "../docs/declarations.js";

const load = (file) => import(pathToFileURL(join(pathFrom("POS_PACKAGE_DIR"), file)));
const [{ explain }, { posConnectError }] = await Promise.all(["explain/index.js", "testing/index.js"].map(load));

const SCRIPTS = { en: /^[A-Z]/, he: /^\p{Script=Hebrew}/u, ar: /^\p{Script=Arabic}/u, es: /^[A-Z]/ };

test("each code has a sentence in each language", () => {
  for (const code of wordsOf("ErrorCode")) {
    const error = posConnectError(code);
    const said = Object.keys(SCRIPTS).map((locale) => explain(error, `${locale}-XX`));
    assert.equal(new Set(said).size, 4, code);
    for (const [at, script] of Object.values(SCRIPTS).entries()) assert.match(said[at], script, code);
    const isForSupport = explain(error, "en").includes("support");
    if (error.advice === "retry") assert.ok(!isForSupport, code);
    if (isForSupport) assert.match(said[0], new RegExp(`${code}\u2069$`));
  }
});

test("what can end a sale, too, does not speak of connecting", () => {
  for (const code of ["aborted", "destroyed"]) {
    assert.doesNotMatch(explain(posConnectError(code), "en"), /account|connect/, code);
  }
});

test("whoever calls support has the request's ID; what is no error of ours is for support, too", () => {
  const refused = posConnectError("upstream_refused", { requestId: "r-7" });
  assert.match(explain(refused, "he"), /\u2068upstream_refused r-7\u2069$/);
  assert.match(explain(new TypeError("bug"), "en"), /\u2068TypeError\u2069$/);
  for (const odd of [undefined, null, "text", 7])
    assert.match(explain(odd, "en"), /give this code: \u2068unknown\u2069$/);
});

test("without a locale it is the document's, else the browser's", () => {
  const error = posConnectError("network");
  globalThis.document = { documentElement: { lang: "he-IL" } };
  assert.equal(explain(error), explain(error, "he"));
  globalThis.document.documentElement.lang = "";
  const spanish = { value: { language: "es-MX" }, configurable: true };
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", spanish);
  assert.equal(explain(error), explain(error, "es"));
  if (own) Object.defineProperty(globalThis, "navigator", own);
  delete globalThis.document;
  assert.equal(explain(error, "fr"), explain(error, "en"));
});

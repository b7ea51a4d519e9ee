// @engines chromium: no browser is opened
// The element in the templates of frameworks, or what the compiler of such templates checks it by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { COMPILERS, complaints } from "./compilers.js";

/** Their own declaration files are not ours to check. */
const OPTIONS = { skipLibCheck: true, jsx: "react-jsx", module: "esnext", moduleResolution: "bundler" };
const FILES = { React: "react.tsx", Vue: "vue.ts", Svelte: "svelte.ts" };

for (const compiler of COMPILERS) {
  for (const [framework, file] of Object.entries(FILES)) {
    test(`${compiler} knows the element in ${framework}`, async () => {
      assert.equal(await complaints(compiler, `frameworks/${file}`, OPTIONS), "");
    });
  }
}

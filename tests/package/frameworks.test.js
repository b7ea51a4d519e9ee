// @engines chromium: no browser is opened
// The types of react/ and vue/, and the element in the templates of frameworks, or what the compiler of such templates
// checks it by.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { COMPILERS, complaints } from "./compilers.js";

/** Their own declaration files are not ours to check. */
const OPTIONS = { skipLibCheck: true, jsx: "react-jsx", module: "esnext", moduleResolution: "bundler" };
const OLD = fileURLToPath(new URL("react-18/node_modules/@types/react", import.meta.url));
const FILES = {
  React: ["react.tsx"],
  "React 18": ["react.tsx", { paths: { react: [OLD], "react/*": [`${OLD}/*`] } }],
  Vue: ["vue.ts"],
  Svelte: ["svelte.ts"],
};

for (const compiler of COMPILERS) {
  for (const [framework, [file, more]] of Object.entries(FILES)) {
    test(`${compiler} compiles ${framework}`, async () => {
      assert.equal(await complaints(compiler, `frameworks/${file}`, { ...OPTIONS, ...more }), "");
    });
  }
}

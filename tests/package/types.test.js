// @tier first
// @engines chromium: no browser is opened
// The types as a consumer's compiler sees them, declaration files checked too, in every way that resolves `exports`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { COMPILERS, complaints } from "./compilers.js";

const STRICT = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };

for (const compiler of COMPILERS) {
  for (const [module, moduleResolution] of [
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ]) {
    test(`${compiler} with --moduleResolution ${moduleResolution}`, async () => {
      assert.equal(await complaints(compiler, "consumer.ts", { ...STRICT, module, moduleResolution }), "");
    });
  }
}

test("in CommonJS, which Node loads these entries in, too", async () => {
  const told = await complaints(COMPILERS[0], "consumer.cts", { ...STRICT, module: "nodenext", types: ["node"] });
  assert.equal(told, "");
});

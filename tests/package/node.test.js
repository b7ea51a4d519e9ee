// Imported where there is no browser: server-side rendering, tests, workers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newProject, runNode } from "./project.js";

let project;
before(async () => (project = await newProject()));
after(() => project.remove());

for (const entry of ["pos-connect", "pos-connect/inline"]) {
  test(`importing ${entry} does nothing`, async () => {
    const output = await runNode(
      project.folder,
      `const touched = [];
       globalThis.fetch = () => { touched.push("fetch"); };
       for (const name of ["instantiate", "instantiateStreaming", "compile", "compileStreaming"]) {
         WebAssembly[name] = () => { touched.push(name); };
       }
       for (const name of ["document", "window", "self", "customElements"]) {
         Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return undefined; } });
       }
       const before = Reflect.ownKeys(globalThis).length;
       const module = await import("${entry}");
       await new Promise((resolve) => setTimeout(resolve, 50));
       const added = Reflect.ownKeys(globalThis).length - before;
       console.log(JSON.stringify({ touched, added, names: Object.keys(module).sort() }));`,
    );
    assert.deepEqual(JSON.parse(output), { touched: [], added: 0, names: ["PosConnect", "PosConnectError", "defineKeypad", "formatPhoneAsYouType", "init", "parsePhone", "phoneMetadataVersion"] });
  });
}

test("the inline entry loads in Node", async () => {
  const output = await runNode(project.folder, `import { init } from "pos-connect/inline"; await init(); await init(); console.log("loaded")`);
  assert.equal(output, "loaded\n");
});

test("a load that fails is a PosConnectError, and the next one heals", async () => {
  const output = await runNode(
    project.folder,
    `import { init, PosConnectError } from "pos-connect";
     import { readFile } from "node:fs/promises";
     const wasm = new URL(import.meta.resolve("pos-connect/pos_connect_bg.wasm"));
     const failure = await init({ module: new Uint8Array([1, 2, 3]) }).catch((error) => error);
     await init({ module: await readFile(wasm) });
     console.log(JSON.stringify([failure instanceof PosConnectError, failure.code, failure.retryable]));`,
  );
  assert.deepEqual(JSON.parse(output), [true, "load_failed", true]);
});

test("the constructor points to create", async () => {
  const output = await runNode(
    project.folder,
    `import { PosConnect } from "pos-connect";
     try { new PosConnect(); } catch (error) { console.log(error.message); }`,
  );
  assert.match(output, /PosConnect\.create/);
});

// @tier first
// @engines chromium: no browser is opened
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
         const get = () => void touched.push(name);
         Object.defineProperty(globalThis, name, { configurable: true, get });
       }
       const before = Reflect.ownKeys(globalThis).length;
       const module = await import("${entry}");
       await new Promise((resolve) => setTimeout(resolve, 50));
       const added = Reflect.ownKeys(globalThis).length - before;
       console.log(JSON.stringify({ touched, added, names: Object.keys(module).sort() }));`,
    );
    assert.deepEqual(JSON.parse(output), {
      touched: [],
      added: 0,
      names: [
        "PosConnect",
        "PosConnectError",
        "defineKeypad",
        "formatPhoneAsYouType",
        "init",
        "parsePhone",
        "phoneMetadataVersion",
        "version",
      ],
    });
  });
}

for (const entry of ["pos-connect", "pos-connect/inline"]) {
  test(`it loads in Node: ${entry}`, async () => {
    const output = await runNode(
      project.folder,
      `import { init, parsePhone } from "${entry}";
       await init();
       await init();
       console.log(parsePhone("0502345678", { region: "IL" }).e164)`,
    );
    assert.equal(output, "+972502345678\n");
  });
}

test("the error class is one, whichever entry it comes from, and can be made in a test", async () => {
  const output = await runNode(
    project.folder,
    `import { inspect } from "node:util";
     import { PosConnectError } from "pos-connect";
     import * as inline from "pos-connect/inline";
     const fields = { code: "closed", retryable: false, advice: "connect", operation: "connect" };
     const error = new PosConnectError("No.", fields, 7);
     const same = PosConnectError === inline.PosConnectError;
     const [shown] = inspect(error).split("\\n");
     console.log(JSON.stringify([same, error instanceof Error, error.cause, error.docUrl, error, shown]));`,
  );
  const fields = { code: "closed", retryable: false, advice: "connect", operation: "connect" };
  const told = { name: "PosConnectError", message: "No.", ...fields };
  const docUrl = "https://pos-connect.example/errors.html#closed";
  assert.deepEqual(JSON.parse(output), [true, true, 7, docUrl, told, "PosConnectError: No."]);
});

test("it says its version", async () => {
  const output = await runNode(
    project.folder,
    `import { version } from "pos-connect";
     import { version as other } from "pos-connect/testing";
     import { createRequire } from "node:module";
     console.log(version, other, createRequire(import.meta.url)("pos-connect/package.json").version);`,
  );
  assert.match(output, /^(\d+\.\d+\.\d+) \1 \1\n$/);
});

test("a load that fails is a PosConnectError, and the next one heals", async () => {
  const output = await runNode(
    project.folder,
    `import { init, PosConnectError } from "pos-connect";
     import { readFile } from "node:fs/promises";
     const wasm = new URL(import.meta.resolve("pos-connect/pos_connect_bg.wasm"));
     const failure = await init({ module: new Uint8Array([1, 2, 3]) }).catch((error) => error);
     await init({ module: await readFile(wasm) });
     const { code, retryable, message } = failure;
     console.log(JSON.stringify([failure instanceof PosConnectError, code, retryable, message]));`,
  );
  const hint = 'The WebAssembly could not be loaded. Without a page, import "pos-connect/inline", which has it inside.';
  assert.deepEqual(JSON.parse(output), [true, "load_failed", true, hint]);
});

test("where the load fails because the engine lacks what the WebAssembly needs, it is too old", async () => {
  const output = await runNode(
    project.folder,
    `import { init } from "pos-connect";
     WebAssembly.validate = () => false;
     const { code, retryable, message } = await init({ module: new Uint8Array([1, 2, 3]) }).catch((error) => error);
     console.log(JSON.stringify([code, retryable, message]));`,
  );
  const message = "This browser is too old: the SDK needs Chromium 88, Firefox 98, Safari 15.4, or a newer one.";
  assert.deepEqual(JSON.parse(output), ["unsupported_browser", false, message]);
});

test("where there is no TextDecoder, importing works, and loading says what is missing", async () => {
  const output = await runNode(
    project.folder,
    `delete globalThis.TextDecoder;
     delete globalThis.TextEncoder;
     const { init } = await import("pos-connect");
     const { code, message } = await init().catch((error) => error);
     console.log(JSON.stringify([code, message]));`,
  );
  assert.deepEqual(JSON.parse(output), ["unsupported_browser", "TextDecoder is missing."]);
});

test("phone numbers are read without a page, and what is wrong with a call is named", async () => {
  const output = await runNode(
    project.folder,
    `import { formatPhoneAsYouType, init, parsePhone, phoneMetadataVersion } from "pos-connect/inline";
     const faults = [];
     const facts = ({ name, code, operation, message }) => [name, code, operation, message];
     const fault = (call) => { try { call(); } catch (error) { faults.push(facts(error)); } };
     fault(() => parsePhone("1"));
     await init();
     fault(() => parsePhone("1", "IL"));
     fault(() => parsePhone("1", { region: "XX" }));
     fault(() => formatPhoneAsYouType(5, null));
     const version = phoneMetadataVersion();
     const valid = parsePhone("0502345678", { region: "IL" });
     const { extension } = parsePhone("050-234-5678 ext. 3", { region: "IL" });
     const german = parsePhone("4915123456789", { region: "DE" });
     const typed = formatPhoneAsYouType("+97250");
     console.log(JSON.stringify({ version, valid, extension, german, typed, faults }));`,
  );
  const { version, valid, extension, german, typed, faults } = JSON.parse(output);
  const number = {
    verdict: "valid",
    e164: "+972502345678",
    national: "050-234-5678",
    international: "+972 50-234-5678",
    region: "IL",
    kind: "mobile",
    deadEnd: false,
    metadataVersion: version,
  };
  assert.deepEqual(valid, number);
  assert.equal(typed, "+972 50");
  const { suggestion, ...asTyped } = german;
  assert.deepEqual(Object.keys(asTyped), Object.keys(number));
  assert.notEqual(asTyped.verdict, "valid");
  assert.equal(asTyped.national, null);
  assert.equal(suggestion.e164, "+4915123456789");
  assert.equal("suggestion" in suggestion, false);
  const named = [
    ["not_initialized", "parsePhone", "The WebAssembly is not loaded: await init() first."],
    ["invalid_option", "parsePhone", "options: is not an object"],
    ["invalid_option", "parsePhone", "region: is not the code of a region, such as IL"],
    ["invalid_option", "formatPhoneAsYouType", "input: is not a text"],
  ];
  assert.deepEqual(
    faults,
    named.map((fault) => ["PosConnectError", ...fault]),
  );
});

test("the constructor points to create", async () => {
  const output = await runNode(
    project.folder,
    `import { PosConnect } from "pos-connect";
     try { new PosConnect(); } catch (error) { console.log(error.message); }`,
  );
  assert.match(output, /PosConnect\.create/);
});

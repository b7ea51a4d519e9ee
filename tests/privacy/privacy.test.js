// The shopper's number is nowhere that a page can read, whatever the outcome: in the package as it is installed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNone, hardware, matrixIn, report } from "./site.js";

test("each detector finds what is leaked on purpose", async () => {
  const { tried, blind } = await report("canaries");
  assert.ok(tried > 40, "all canaries were tried");
  assert.deepEqual(blind, []);
});

test("a real keyboard's keys make no further event that reaches the page", async () => {
  await hardware.open();
  await hardware.type();
  const { leaks, types } = await hardware.look();
  assert.deepEqual(leaks, []);
  assert.deepEqual(types, ["keydown", "keyup"], "what is said before the keypad could stop it");
});

test("parsePhone and formatPhoneAsYouType leave nothing behind", async () => {
  const { calls, leaks } = await report("phones");
  assert.ok(calls > 400, "all forms were tried");
  assertNone(leaks);
});

matrixIn("en");

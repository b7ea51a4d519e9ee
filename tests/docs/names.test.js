// A page that names an option, a code, a step or a variable names one that there is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { pages, text } from "./pages.js";

const run = promisify(execFile);
const all = await pages();
const types = await text("pkg-template/index.d.ts");
const page = (path) => all.find((one) => one.path === path);

/** The rows of the tables whose first head is `head`: the first cell, and all of it. */
function rows({ prose }, head) {
  const found = [];
  let isOurs = false;
  for (const { line } of prose) {
    if (!line.startsWith("|")) isOurs = false;
    else if (line.startsWith(`| ${head} |`)) isOurs = true;
    else if (isOurs && !line.startsWith("|---")) found.push({ first: line.split("|")[1].trim(), line });
  }
  return found;
}

test("the errors page has each code once, and no other", () => {
  const union = /export type ErrorCode =([^;]*);/.exec(types)[1];
  const codes = [...union.matchAll(/\| "([a-z_]+)"/g)].map(([, code]) => code);
  const told = rows(page("docs/errors.md"), "code").map(({ first }) => first.replaceAll("`", ""));
  assert.ok(codes.length > 30);
  assert.deepEqual(told.sort(), codes.sort());
});

test("the options in the tables are options", () => {
  let checked = 0;
  for (const one of all) {
    for (const { first } of rows(one, "option")) {
      for (const [, name] of first.matchAll(/`([a-zA-Z]+)`/g)) {
        assert.match(types, new RegExp(`^ +(?:readonly )?${name}\\??[:(]`, "m"), `${one.path}: ${name}`);
        checked += 1;
      }
    }
  }
  assert.ok(checked > 15, `only ${checked} options`);
});

test("the steps of the tests are steps", async () => {
  const steps = [...(await text("xtask/src/step.rs")).matchAll(/Step \{ name: "(\w+)"/g)].map(([, name]) => name);
  const told = (await text("xtask/src/main.rs")).match(/STEP\[,STEP\]\n\s+(.*)\n/)[1].split(", ");
  assert.deepEqual(told, steps, "the help of xtask");
  for (const one of all) {
    for (const [, names] of one.prose
      .map(({ line }) => line)
      .join("\n")
      .matchAll(/xtask test --only ([a-z0-9,]+)/g)) {
      for (const name of names.split(",")) assert.ok(steps.includes(name), `${one.path}: --only ${name}`);
    }
  }
});

test("the defaults of the service are its defaults", async () => {
  const { stdout } = await run(process.env.POS_SERVICE_BIN, ["serve", "--help"]);
  let checked = 0;
  for (const { line } of rows(page("docs/operating.md"), "option of `serve`")) {
    const [, option, preset] = /^\| `(--[a-z-]+)[^`]*` \| `?([0-9][0-9.:]*)`? \|/.exec(line) ?? [];
    if (!option) continue;
    const told = new RegExp(`${option} <[^\\[]*\\[default: ([^\\]]*)\\]`).exec(stdout)?.[1];
    assert.equal(preset, told, option);
    checked += 1;
  }
  assert.ok(checked >= 4, `only ${checked} defaults`);
});

test("the environment variables are read somewhere", async () => {
  const sources = await Promise.all(
    ["relay/src/cli/secret.rs", "relay/src/cli/serve.rs", "relay/src/cli/mod.rs", "service/src/cli/account.rs"].map(
      text,
    ),
  );
  const code = sources.join("\n");
  for (const one of all) {
    const lines = [...one.prose.map(({ line }) => line), ...one.fences.map((fence) => fence.code)].join("\n");
    for (const [name] of lines.matchAll(/POS_CONNECT_[A-Z_]+/g)) assert.ok(code.includes(name), `${one.path}: ${name}`);
  }
});

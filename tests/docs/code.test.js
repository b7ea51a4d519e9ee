// @tier first
// @engines chromium: compilers read the blocks, and no browser
// The code in the pages is code: it has a language, compiles against the package, and calls commands that exist.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { newProject } from "../package/project.js";
import {
  check,
  checkOurs,
  commandsOf,
  everyCommand,
  helpOf,
  KNOWN_OPTIONS,
  optionsOf,
  PROGRAMS,
  xtaskHelp,
} from "./commands.js";
import { codesIn, codesOf, pages, proseOf, text } from "./pages.js";

const all = await pages();
const fences = all.flatMap((page) => page.fences);
const compilers = fileURLToPath(new URL("../package/node_modules/", import.meta.url));

/** How the blocks of each language are checked: the ending of a file for the compiler, and what of it is compiled. */
const COMPILED = {
  js: [".js", bare],
  jsx: [".jsx", (code) => code],
  ts: [".ts", (code) => code],
  tsx: [".tsx", (code) => code],
  vue: [".ts", scriptOf],
  svelte: [".ts", (code) => `${scriptOf(code)}${bindings(code)}`],
  html: [".js", (code) => (/<script[^>]* src=/.test(code) ? "" : bare(scriptOf(code)))],
};
const OTHERWISE = ["sh", "json", "css", "toml", "nginx", "text"];
/** `tests/e2e/storage.test.js` runs it. */
const isRunElsewhere = ({ code }) => code.startsWith("export const postgresStorage");

/** Without a bundler, the page says where the package is. */
function bare(code) {
  return code.replaceAll("/node_modules/pos-connect/index.js", "pos-connect");
}

function scriptOf(code) {
  const script = /^<script\b[^>]*>\n(.*?)^<\/script>$/ms.exec(code)?.[1];
  assert.ok(script, `no script in:\n${code}`);
  return script;
}

/** What a template of Svelte puts into the script's variables. */
const bindings = (code) =>
  [...code.matchAll(/bind:this=\{(\w+)\}/g)].map(([, name]) => `${name} = undefined!;`).join("\n");

test("every block is closed and has a language that is checked", () => {
  const languages = [...Object.keys(COMPILED), ...OTHERWISE];
  for (const { path, isClosed } of all) assert.ok(isClosed, `${path}: a block is not closed`);
  for (const { path, at, language } of fences) assert.ok(languages.includes(language), `${path}:${at}: "${language}"`);
});

test("the first code is the page of the quick start, on the simulation", async () => {
  const shown = fences.filter(({ path, language }) => path === "README.md" && language === "js");
  const [connect, receipt, ...more] = shown.map(({ code }) => code.replace(CONTINUES, ""));
  assert.deepEqual(more, []);
  const till = `${connect}\n${receipt}`;
  assert.equal(till, withoutKey(await text("examples/till/till.js")), "examples/till/till.js");
  const guide = fences.find(({ path, language }) => path === "docs/quick-start.md" && language === "js");
  assert.equal(till, guide.code, "docs/quick-start.md");
  const lines = (code) => code.trim().split("\n").length;
  assert.ok(lines(connect) <= 20 && lines(receipt) <= 12, `README.md: ${lines(connect)} and ${lines(receipt)} lines`);
});

/** What the till of the quick start has for service and relay, in place of which the simulation has one address. */
const withoutKey = (code) =>
  code
    .replace(/^const \{ key \} = .*\n/m, "")
    .replace(/^  headers: .*\n/m, "")
    .replace(":8080/connect", ":8090/connect")
    .replace('"demo-till"', '"till"');

test("the buttons of a whole page wait until there is a client, and until then the page says so", async () => {
  const shown = fences.filter(({ code }) => code.startsWith("<!doctype html>") && code.includes("<button"));
  assert.ok(shown.length > 0);
  const wholes = [await text("examples/till/index.html"), ...shown.map(({ code }) => code)];
  for (const page of wholes) {
    for (const [button] of page.matchAll(/<button[^>]*>/g)) assert.match(button, / disabled>$/);
  }
  const samples = await Promise.all(["www/one-call.html", "www/step-by-step.html"].map(text));
  for (const page of [...wholes, ...samples])
    assert.match(page, /<output.*>Not ready yet\. If this stays, the console says why\.<\/output>/);
  const scripts = fences.filter(({ code }) => /\("#connect"\)/.test(code) && code.includes("PosConnect.create"));
  assert.ok(scripts.length > 1);
  for (const { code } of scripts) assert.match(code, /^}\);\n.*button\.disabled = false;/m);
});

const CONTINUES = /^\/\/ continues: (\S+)#(\S+)\n/;

/** A block that goes on from another is compiled below it. */
function whole(fence) {
  const [, path, anchor] = CONTINUES.exec(fence.code) ?? [];
  if (!path) return fence.code;
  const before = fences.find((one) => one.path === path && one.under === anchor && one.language === fence.language);
  assert.ok(before && before !== fence, `${fence.path}:${fence.at}: there is no block at ${path}#${anchor}`);
  return `${whole(before)}\n${fence.code}`;
}

let project;
before(async () => {
  project = await newProject({ "ambient.d.ts": await text("tests/docs/ambient.d.ts") });
  await mkdir(join(project.folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/react", "vue", "svelte"]) {
    await symlink(join(compilers, name), join(project.folder, "node_modules", name));
  }
});
after(() => project.remove());

test("the code compiles against the package", async () => {
  const compiled = fences.filter((fence) => fence.language in COMPILED && !isRunElsewhere(fence));
  assert.ok(compiled.length > 10, "there is code");
  const files = await Promise.all(compiled.map(writeBlock));
  const strict = { strict: true, checkJs: true, allowJs: true, noEmit: true, skipLibCheck: true, types: [] };
  const target = { target: "es2022", lib: ["es2022", "dom", "dom.iterable"], jsx: "react-jsx" };
  // The blocks are modules here; a page without modules has the package as a global.
  const resolution = { module: "esnext", moduleResolution: "bundler", allowUmdGlobalAccess: true };
  const compilerOptions = { ...strict, ...target, ...resolution };
  const config = { compilerOptions, files: ["ambient.d.ts", ...files.map(({ name }) => name)] };
  await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify(config));
  const told = await complaints(join(compilers, "typescript/bin/tsc"), project.folder);
  const placed = files.reduce((lines, { name, where }) => lines.replaceAll(`${name}(`, `${where}: ${name}(`), told);
  assert.equal(placed, "");
});

test("the till that tidies its outbox sends no sale twice", async () => {
  const { code } = fences.find(({ path, under }) => path === "docs/offline.md" && under === "refused-orders");
  await writeFile(join(project.folder, "tidy.mjs"), code);
  const { tidy } = await import(pathToFileURL(join(project.folder, "tidy.mjs")).href);
  const sale = (externalId, time) => ({ externalId, time, currency: "ILS" });
  const refused = (id, error, order) => ({ id, state: "refused", error, order });
  const listed = [
    { id: "waits", state: "queued", order: sale("1", "2026-11-24T09:00:00Z") },
    refused("same", { code: "order_exists" }, sale("2", "2026-11-24T09:00:00Z")),
    refused("other", { code: "order_exists" }, sale("3", "2026-11-24T09:00:00Z")),
    refused("currency", { code: "invalid_body", pointer: "/currency" }, sale("4", "2026-11-24T09:00:00Z")),
  ];
  const known = { 2: "2026-11-24T11:00:00+02:00", 3: "2026-11-20T09:00:00Z" };
  const retried = new Map();
  const orders = {
    list: async () => listed,
    get: async (externalId) => ({ order: sale(externalId, known[externalId]) }),
    retry: async (id, { order }) => retried.set(id, order),
  };
  await tidy({ orders });
  assert.deepEqual([...retried.keys()], ["other", "currency"]);
  assert.match(retried.get("other").externalId, /^3-[0-9a-f]{8}$/);
  assert.equal(retried.get("currency").currency, "EUR");
});

/** A block as a module of the project. One that begins with its own name can be imported by others. */
async function writeBlock(fence, number) {
  const where = `${fence.path}:${fence.at}`;
  assert.doesNotMatch(fence.code, /@ts-/, `${where} hides something from the compiler`);
  const [ending, compiledPart] = COMPILED[fence.language];
  const name = /^\/\/ ([\w.]+\.[jt]sx?)\n/.exec(fence.code)?.[1] ?? `block-${number}${ending}`;
  await writeFile(join(project.folder, name), `${compiledPart(whole(fence))}\nexport {};\n`);
  return { name, where };
}

/** What the compiler says; nothing if all is well. */
function complaints(tsc, folder) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, "--pretty", "false"], { cwd: folder }, (error, stdout, stderr) => {
      if (error && !stdout) reject(new Error(stderr || error.message));
      else resolve(stdout);
    });
  });
}

/** What a file about a provider can say, written as options are. */
async function providerSettings() {
  const source = await text("service/src/cli/provider.rs");
  const [, fields] = /struct ProviderFile \{([^}]*)\}/.exec(source);
  return new Set([...fields.matchAll(/(\w+):/g)].map(([, name]) => `--${name.replaceAll("_", "-")}`));
}

test("the settings in the blocks are options of serve", async () => {
  const settings = fences.filter(({ language }) => language === "toml");
  assert.ok(settings.length > 1);
  for (const { path, code } of settings) {
    const program = path === "docs/relay.md" ? "pos-connect-relay" : "pos-connect-service";
    const isProvider = code.startsWith("issuer");
    const options = isProvider ? await providerSettings() : optionsOf(await helpOf(program, ["serve"]));
    const names = [...code.matchAll(/^ *([\w-]+) = /gm)].map(([, name]) => name);
    assert.ok(names.length > 0, path);
    for (const name of names) assert.ok(options.has(`--${name}`), `${path}: ${program} has no ${name}`);
  }
});

test("the JSON is JSON", () => {
  for (const { code, path, at, language } of fences) {
    if (language === "json") assert.doesNotThrow(() => JSON.parse(code), `${path}:${at}`);
  }
});

/** Says where a command stands that is wrong. */
const at = (where, checked) =>
  checked.catch((error) => {
    throw new Error(`${where}: ${error.message}`, { cause: error });
  });

test("the commands in the blocks exist, with these options", async () => {
  const blocks = fences.filter(({ language }) => language === "sh");
  const commands = blocks.flatMap((block) => commandsOf(block).map((command) => ({ block, command })));
  assert.ok(commands.length > 20, `only ${commands.length} commands`);
  for (const { block, command } of commands) {
    await at(`${block.path}:${block.at}: ${command}`, check(command, { isWhole: true }));
  }
});

const A_COMMAND = /^(?:[A-Z_]+=\S* )?(?:cargo|npm|wasm-pack|rustup|sh workbench\/src\/display\.sh) /;
/** What begins like a command of the service or the relay. Alone, these words are names of other things, too. */
const OURS = /^(?:(?:vendor|account|till) [a-z]|serve --)/;

test("the commands in the sentences exist, with these options", async () => {
  const found = all.flatMap((page) => codesIn(page).map((code) => ({ code, path: page.path })));
  const commands = found.filter(({ code }) => A_COMMAND.test(code));
  const ours = found.filter(({ code }) => OURS.test(code));
  assert.ok(commands.length > 20 && ours.length > 10, `only ${commands.length} and ${ours.length} commands`);
  for (const { code, path } of commands) await at(`${path}: ${code}`, check(code));
  for (const { code, path } of ours) await at(`${path}: ${code}`, checkOneOf(code.split(" ")));
});

test("the list of commands gives each command options of its own", async () => {
  const [, list] = /\n## Commands\n(.*?)\n## /s.exec(proseOf(all.find(({ path }) => path === "CONTRIBUTING.md")));
  const items = list.split(/\n- /).slice(1).map(codesOf);
  assert.ok(items.length > 4, `only ${items.length} commands`);
  for (const [command, ...codes] of items) {
    assert.match(command, A_COMMAND);
    for (const option of codes.filter((code) => code.startsWith("--")))
      await at(`CONTRIBUTING.md: ${command} ${option}`, check(`${command} ${option}`));
  }
});

/** A command of the service or of the relay. */
async function checkOneOf(words) {
  const results = await Promise.allSettled(Object.keys(PROGRAMS).map((program) => checkOurs(program, words)));
  const reasons = results.map(({ reason }) => reason?.message);
  assert.ok(reasons.includes(undefined), reasons.join("; "));
}

test("the options in the sentences are options of some command", async () => {
  const [xtask, commands] = await Promise.all([
    xtaskHelp(),
    Promise.all(Object.keys(PROGRAMS).map((one) => everyCommand(one))),
  ]);
  const known = new Set([...xtask.values()].join("\n").match(/--[a-z-]+/g));
  for (const { help } of commands.flat()) for (const name of optionsOf(help).keys()) known.add(name);
  let checked = 0;
  for (const page of all) {
    for (const [, name] of codesIn(page).flatMap((code) => [...code.matchAll(/(?:^| )(--[a-z][a-z-]*)/g)])) {
      if (/^--(?:ereceipt|pos-connect)-/.test(name) || OTHERS.has(name)) continue;
      assert.ok(known.has(name) || KNOWN_OPTIONS.has(name), `${page.path}: no command has ${name}`);
      checked += 1;
    }
  }
  assert.ok(checked > 60, `only ${checked} options`);
});

/** Options of wasm-opt and pg_dump. */
const OTHERS = new Set(["--traps-never-happen", "--schema"]);

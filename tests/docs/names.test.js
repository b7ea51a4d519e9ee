// @tier first
// @engines chromium: no browser is opened
// A page that names an option, a default, a code, a step, a file or a variable names one that there is.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { ROWS } from "../matrix/rows.js";
import { lineOf, linesOf } from "../matrix/table.js";
import { helpOf, optionsOf, PROGRAMS } from "./commands.js";
import { membersOf, wordsOf } from "./declarations.js";
import { codesIn, codesOf, pages, proseOf, tables, text } from "./pages.js";
import { sources } from "./sources.js";

const all = await pages();
const page = (path) => all.find((one) => one.path === path);

/** The tables of a page whose head begins with this word, under one heading or all. */
const tablesOf = (path, head, under) =>
  tables(page(path)).filter((table) => table.head[0] === head && (!under || table.under === under));

/** The same names, each once; if not, says which to add and which to take out, and where. */
function same(told, known, place) {
  const add = known.filter((name) => !told.includes(name));
  const takeOut = told.filter((name, at) => !known.includes(name) || told.indexOf(name) !== at);
  assert.deepEqual({ add, takeOut }, { add: [], takeOut: [] }, place);
}

test("the errors page has each code once, and no other", () => {
  const told = tablesOf("docs/errors.md", "code").flatMap(({ rows }) => rows.flatMap(([cell]) => codesOf(cell)));
  const known = wordsOf("ErrorCode");
  assert.ok(known.length > 30);
  same(told, known, "docs/errors.md: a row for each word of ErrorCode in pkg-template/index.d.ts");
});

test("the table of tools has a line for each row of the matrix, with its version", async () => {
  const lines = linesOf(await text("docs/csp-and-bundlers.md"));
  same(
    [...lines.keys()],
    ROWS.map(({ name }) => name),
    "docs/csp-and-bundlers.md: BLESS=1 cargo xtask test --only matrix",
  );
  for (const row of ROWS) assert.equal(lines.get(row.name), lineOf(row), `${row.name}: try it again`);
});

test("the demo says what to do about each code", async () => {
  const { knownCodes } = await import("../../www/advice.js");
  same(knownCodes, wordsOf("ErrorCode"), "www/advice.js: a line for each word of ErrorCode in index.d.ts");
});

test("the errors page says who can help with each code", async () => {
  const rows = [...(await text("src/core/error.rs")).matchAll(/ = "([a-z_]+)", ([A-Z][a-z]+),/g)];
  const known = Object.fromEntries(rows.map(([, word, advice]) => [word, advice.toLowerCase()]));
  assert.equal(rows.length, wordsOf("ErrorCode").length);
  const told = tablesOf("docs/errors.md", "code").flatMap((table) => table.rows);
  assert.deepEqual(Object.fromEntries(told.map(([code, advice]) => [codesOf(code)[0], advice])), known);
  const words = tablesOf("docs/errors.md", "`advice`").flatMap((table) =>
    table.rows.flatMap(([cell]) => codesOf(cell)),
  );
  same(words, wordsOf("Advice"), "docs/errors.md: a row for each word of Advice in pkg-template/index.d.ts");
});

test("an error's address is a page of the package's home page", async () => {
  const { homepage } = JSON.parse(await text("pkg-template/package.json"));
  assert.ok((await text("src/core/error.js")).includes(`\`${homepage}errors.html#`));
});

test("the keypad page has each reason to print once", () => {
  const [table] = tablesOf("docs/keypad.md", "`reason`");
  const told = table.rows.flatMap(([cell]) => codesOf(cell));
  same(told, wordsOf("PrintReason"), "docs/keypad.md: a row for each word of PrintReason");
});

test("the relay's page has its codes with their statuses", async () => {
  const known = new Map();
  for (const path of ["protocol/src/problem.rs", "protocol/src/relay.rs"]) {
    for (const [, word, status] of (await text(path)).matchAll(/= "([a-z_]+)", (\d{3}),/g)) known.set(word, status);
  }
  const told = [...proseOf(page("docs/relay.md")).matchAll(/^- (\d{3}) `([a-z_]+)`: /gm)];
  for (const [, status, word] of told) assert.equal(known.get(word), status, `docs/relay.md: the status of ${word}`);
  const own = [...(await text("protocol/src/relay.rs")).matchAll(/= "([a-z_]+)", \d{3},/g)].map(([, word]) => word);
  const words = told.map(([, , word]) => word);
  for (const word of own) assert.ok(words.includes(word), `docs/relay.md does not have ${word}`);
});

/** The tables of options and members: where each stands, and the interfaces whose members they are. */
const TABLES = [
  ["docs/connect.md", "option", "create-the-client", ["CreateOptions"]],
  ["docs/connect.md", "option", "one-call", ["ConnectOptions"]],
  ["docs/keypad.md", "option", "options", ["ReceiptOptions"]],
  ["docs/frameworks.md", "member", "what-a-page-shows", ["PosState"], ["error"]],
  ["docs/errors.md", "member", "errors", ["PosConnectError"], ["name"]],
  ["docs/phone-numbers.md", "member", "phone-numbers", ["PhoneNumber"]],
];
/** Not of the package: another test has the relay's options, `protocol/src/order/tests.rs` the members of an order. */
const ELSEWHERE = ["docs/relay.md", "docs/orders.md"];

for (const [path, head, under, names, elsewhere = []] of TABLES) {
  test(`${path}#${under} has each ${head} of ${names}, with its default`, () => {
    const [table, ...more] = tablesOf(path, head, under);
    assert.ok(table && more.length === 0, `${path}#${under}: not one table whose head begins with "${head}"`);
    const members = new Map(names.flatMap((name) => [...membersOf(name)]));
    const told = table.rows.flatMap(([cell]) => codesOf(cell));
    const known = [...members.keys()].filter((name) => !elsewhere.includes(name));
    same(told, known, `${path}#${under}: a row for each ${head} of ${names} in pkg-template/index.d.ts`);
    const column = table.head.indexOf("default");
    if (column < 0) return;
    for (const row of table.rows) checkDefault(codesOf(row[0])[0], members.get(codesOf(row[0])[0]), row[column]);
  });
}

function checkDefault(name, { isOptional, preset }, cell) {
  assert.equal(cell === "required", !isOptional, `${name} is ${isOptional ? "not " : ""}required`);
  const told = /^(?:`([^`]*)`|(\d+(?:\.\d+)?))$/.exec(cell)?.slice(1).find(Boolean);
  // A long text stands in the table without its quotes.
  assert.equal(
    told?.replace(/^"(.*)"$/, "$1"),
    preset?.replace(/^"(.*)"$/, "$1"),
    `the default of ${name}: "Default: ….", in index.d.ts, and the row`,
  );
}

test("every table of options or members is held to something", () => {
  const known = TABLES.map(([path, head, under]) => `${path} ${head} ${under}`);
  for (const { path } of all.filter((one) => !ELSEWHERE.includes(one.path))) {
    for (const head of ["option", "member"]) {
      for (const { under } of tablesOf(path, head)) {
        const one = `${path} ${head} ${under}`;
        assert.ok(known.includes(one), `${one}: say in TABLES which interface this table is of`);
      }
    }
  }
});

/** Not all options: `serve --help` prints them, and the pages have those that need more words. */
for (const [program, path, head] of [
  ["pos-connect-service", "docs/operating.md", "option of `serve`"],
  ["pos-connect-relay", "docs/relay.md", "option"],
]) {
  test(`the options of serve in ${path} have these defaults`, async () => {
    const help = await helpOf(program, ["serve"]);
    const options = optionsOf(help);
    const required = /^Usage:.*\[OPTIONS\](.*)$/m.exec(help)[1];
    const [{ rows }] = tablesOf(path, head);
    for (const name of rows.flatMap(([cell]) => namesOf(cell)))
      assert.ok(options.has(name), `${path}: ${program} has no ${name}`);
    for (const [option, cell] of rows.filter(([, cell]) => cell !== "as the service")) {
      const names = namesOf(option);
      const presets = names.length > 1 ? cell.split(", ") : [cell];
      assert.ok(presets.length === names.length || cell === "none", `${option}: a default for each`);
      for (const [at, name] of names.entries()) checkPreset(name, presets[at] ?? cell, options.get(name), required);
    }
  });
}

const namesOf = (cell) => codesOf(cell).map((code) => code.split(" ")[0]);

function checkPreset(name, told, preset, required) {
  assert.equal(told === "required", required.includes(`${name} `), `${name} is required, or not`);
  if (preset !== undefined) assert.equal((codesOf(told).at(-1) ?? told).replace(/^"|"$/g, ""), preset, name);
  else assert.doesNotMatch(told, /\d/, `${name} has no default`);
}

test("what the relay has as the service, it has with the same default", async () => {
  const helps = await Promise.all(Object.keys(PROGRAMS).map((program) => helpOf(program, ["serve"])));
  const [service, relay] = helps.map(optionsOf);
  const shared = tablesOf("docs/relay.md", "option")[0].rows.filter(([, preset]) => preset === "as the service");
  assert.equal(shared.length, 1);
  for (const name of codesOf(shared[0][0])) {
    assert.ok(relay.has(name) && service.has(name), `${name} is an option of both`);
    assert.equal(relay.get(name), service.get(name), name);
  }
});

test("defaults in brackets are defaults", async () => {
  const help = await helpOf("pos-connect-service", ["vendor", "rotate-secret"]);
  const presets = new Map([...optionsOf(help), ["--database URL", optionsOf(help).get("--database")]]);
  const told = [...proseOf(page("docs/operating.md")).matchAll(/`(--[^`]+)`\s\([^)]*?\bdefault `?([^`)]+)`?\)/g)];
  assert.deepEqual(told.map(([, name]) => name).sort(), ["--database URL", "--overlap-hours"]);
  for (const [, name, preset] of told) assert.equal(preset, presets.get(name), name);
});

test("the files that programs make have these names", async () => {
  const helps = await Promise.all(Object.keys(PROGRAMS).map((program) => helpOf(program, ["serve"])));
  const told = all.flatMap((one) => codesIn(one).filter((code) => /^[\w-]+\.(?:db|key)$/.test(code)));
  assert.ok(told.length > 3);
  for (const name of told)
    assert.ok(
      helps.some((help) => new RegExp(`[/ ]${name}\\]`).test(help)),
      name,
    );
});

const code = await sources();
const everything = all.map((one) => [one, `${proseOf(one)}\n${one.fences.map((fence) => fence.code).join("\n")}`]);

test("the environment variables are read somewhere", () => {
  let checked = 0;
  for (const [{ path }, whole] of everything) {
    for (const [name] of whole.matchAll(/\b(?:POS|STORM)_[A-Z_]+\b/g)) {
      assert.ok(words.has(name), `${path}: nothing reads ${name}`);
      checked += 1;
    }
  }
  assert.ok(checked > 20, `only ${checked} variables`);
});

/** Names of other people's, which nothing here uses. */
const OTHERS = new Set([
  "LocalNetworkAccessAllowedForUrls",
  "ProxyPass",
  "WasmGrowAndClaim",
  "globPatterns",
  "nocanon",
]);
const wordsIn = (code) => code.match(/[A-Za-z][\w-]*/g) ?? [];
/** Every name in the code. */
const words = new Set(wordsIn(code));
/** Another test has them: the code puts these together. */
const isClass = (name) => /^pos-connect-(?!relay|service)/.test(name);
/** A header may be a constant of a library's: `WWW_AUTHENTICATE`. */
const isHeader = (name) => words.has(name.toUpperCase().replaceAll("-", "_"));

test("the names in the sentences are names in the code", () => {
  let checked = 0;
  for (const one of all.filter(({ path }) => path !== "CHANGELOG.md")) {
    const shown = new Set(one.fences.flatMap(({ code }) => wordsIn(code)));
    const isKnown = (name) => [words, shown, OTHERS].some((known) => known.has(name)) || isClass(name);
    const names = codesIn(one).flatMap(nameIn);
    const unknown = names.filter((name) => !isKnown(name) && !(/^[A-Z].*-/.test(name) && isHeader(name)));
    assert.deepEqual(unknown, [], `${one.path}: these names stand nowhere in the code`);
    checked += names.length;
  }
  assert.ok(checked > 500, `only ${checked} names`);
});

test("the classes of the frame are those that a page can style", async () => {
  const files = ["view", "elements", "success_card"].map((name) => `src/connect/frame/${name}.rs`);
  const [panel, ...sources] = await Promise.all(["pkg-template/elsewhere.js", ...files].map(text));
  const made = [
    ...sources.join("\n").matchAll(/\b(?:element\(\s*&?document,|line\()\s*"\w+",\s*"([a-z-]+)"/g),
    ...sources.join("\n").matchAll(/class=pos-connect-([a-z-]+)/g),
    ...panel.matchAll(/\bmake\("\w+", "([a-z-]+)"/g),
    ...panel.matchAll(/pos-connect-([a-z]+)/g),
  ].map(([, name]) => `pos-connect-${name}`);
  const told = codesIn(page("docs/connect.md")).filter(isClass);
  same(told, [...new Set(made)], "docs/connect.md: the classes that the elements of the frame have");
});

/** A piece of code that is one name: `fetchTokens()`, `pos-connect-qr`, `not_enabled`, `receipt.print`. */
function nameIn(code) {
  const name = /^([A-Za-z][\w-]*(?:\.[A-Za-z]\w*)*)(?:\(\))?$/.exec(code)?.[1];
  return name === undefined ? [] : [name.split(".").at(-1)];
}

const FOLDERS = [
  ...["src", "phone", "phone-data", "protocol", "foundation", "service", "relay", "conformance", "workbench", "xtask"],
  ...["pkg-template", "www", "examples", "dist", "tests", "docs"],
].join("|");

test("the files that pages name are there", () => {
  let checked = 0;
  for (const one of all) {
    for (const path of codesIn(one).filter((code) => new RegExp(`^(?:${FOLDERS})/[\\w./-]*$`).test(code))) {
      const places = ["../../", `../../${one.path.replace(/[^/]*$/, "")}`];
      const isThere = places.some((place) => existsSync(new URL(place + path, import.meta.url)));
      assert.ok(isThere, `${one.path}: there is no ${path}`);
      checked += 1;
    }
  }
  assert.ok(checked > 40, `only ${checked} files`);
});

test("the keypad's looks are those of the element", async () => {
  const types = await text("pkg-template/index.d.ts");
  const { fences } = page("docs/keypad.md");
  const styled = `${proseOf(page("docs/keypad.md"))}\n${fences.map((fence) => fence.code).join("\n")}`;
  const properties = new Set(styled.match(/--ereceipt-[a-z-]*[a-z]/g));
  const known = new Set(types.match(/--ereceipt-[a-z-]*[a-z]/g));
  same([...properties], [...known], "docs/keypad.md: the custom properties that index.d.ts names at ReceiptKeypad");
  const parts = /Parts: `([^`]*)`/.exec(types.replaceAll(/\s*\n \*\s*/g, " "))[1].split(" ");
  const told = /::part\(…\)`: `([^`]*)`/.exec(styled)[1].split(/\s+/);
  same(told, parts, "docs/keypad.md, `::part(…)`: the parts that index.d.ts names at ReceiptKeypad");
  assert.deepEqual(told, parts, "the parts in docs/keypad.md and in index.d.ts, in one order");
  for (const [, name] of styled.matchAll(/::part\(([a-z]+)\)/g)) assert.ok(parts.includes(name), `::part(${name})`);
  const files = ["dom.rs", "languages.rs", "notice.rs"].map((file) => text(`src/keypad/${file}`));
  const elements = (await Promise.all(files)).join("\n");
  const made = [...elements.matchAll(/\bpart=([a-z]+)|"(key delete)"|"part", "([a-z]+)"/g)];
  // What screen readers hear is nothing to style.
  const named = made.flatMap(([, row, keys, other]) => (row ?? keys ?? other).split(" "));
  const names = new Set(named.filter((name) => name !== "status"));
  same(parts, [...names], "Parts in index.d.ts: the elements in dom.rs, languages.rs and notice.rs");
});

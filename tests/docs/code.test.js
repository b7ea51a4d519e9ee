// The code in the pages is code: it has a language, compiles against the package, and calls commands that exist.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newProject } from "../package/project.js";
import { pages, text } from "./pages.js";

const all = await pages();
const fences = all.flatMap((page) => page.fences);
const compilers = fileURLToPath(new URL("../package/node_modules/", import.meta.url));

test("every block is closed and has a language", () => {
  for (const { path, isClosed } of all) assert.ok(isClosed, `${path}: a block is not closed`);
  for (const { path, at, language } of fences) assert.notEqual(language, "", `${path}:${at}`);
});

test("the first code is the page of the quick start", async () => {
  const till = await text("examples/till/till.js");
  const of = (path) => fences.filter((fence) => fence.path === path && fence.language === "js");
  assert.ok(
    of("docs/quick-start.md").some(({ code }) => code === till),
    "docs/quick-start.md",
  );
  const [connect, receipt] = of("README.md").map(({ code }) => code.replace(/^\/\/ continues: .*\n/, ""));
  assert.equal(`${connect}\n${receipt}`, till, "README.md");
});

/** Names that a page's reader has, and TypeScript does not: those of frameworks that are not installed here. */
const AMBIENT = `declare module "@vitejs/plugin-vue" { const vue: (options: object) => object; export default vue; }\n`;

let project;
before(async () => {
  project = await newProject({ "ambient.d.ts": AMBIENT });
  await mkdir(join(project.folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/react", "vue", "svelte"]) {
    await symlink(join(compilers, name), join(project.folder, "node_modules", name));
  }
});
after(() => project.remove());

/** A block that goes on from another is checked below it. */
function whole(fence) {
  const continued = /^\/\/ continues: (\S+)#/.exec(fence.code)?.[1];
  if (!continued) return fence.code;
  const isBefore = ({ path, at, language }) => path === continued && at < fence.at && language === fence.language;
  const before = fences.filter(isBefore);
  return [...before, fence].map(({ code }) => code).join("\n");
}

// What only shows the reader a shape: its own project decides the types.
const LOOSE = new Set(["jsx"]);
const COMPILED = { js: "js", jsx: "jsx", ts: "ts", tsx: "tsx" };
const RUN_ELSEWHERE = new Set(["docs/back-end.md"]);

test("the JavaScript compiles against the package", async () => {
  const files = [];
  const compiled = fences.filter(({ language, path }) => language in COMPILED && !RUN_ELSEWHERE.has(path));
  assert.ok(compiled.length > 10, "there is code");
  for (const [number, fence] of compiled.entries()) {
    // A file that another block names.
    const name = /^\/\/ (\w+\.js)\n/.exec(fence.code)?.[1] ?? `block-${number}.${COMPILED[fence.language]}`;
    const head = LOOSE.has(fence.language) ? "// @ts-nocheck\n" : "";
    await writeFile(join(project.folder, name), `${head}${whole(fence)}\nexport {};\n`);
    files.push({ name, where: `${fence.path}:${fence.at}` });
  }
  const options = { strict: true, noEmit: true, checkJs: true, allowJs: true, skipLibCheck: true, types: [] };
  const compilerOptions = { ...options, jsx: "react-jsx", target: "es2022", lib: ["es2022", "dom", "dom.iterable"] };
  Object.assign(compilerOptions, { module: "esnext", moduleResolution: "bundler" });
  const config = { compilerOptions, files: ["ambient.d.ts", ...files.map(({ name }) => name)] };
  await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify(config));
  const told = await complaints(join(compilers, "typescript-5/bin/tsc"), project.folder);
  const placed = files.reduce((told, { name, where }) => told.replaceAll(`${name}(`, `(${where}) `), told);
  assert.equal(placed, "");
});

function complaints(tsc, folder) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, "--project", folder, "--pretty", "false"], (error, stdout, stderr) => {
      if (error && !stdout) reject(new Error(stderr || error.message));
      else resolve(stdout);
    });
  });
}

test("the JSON is JSON", () => {
  for (const { code, path, at, language } of fences) {
    if (language === "json") assert.doesNotThrow(() => JSON.parse(code), `${path}:${at}`);
  }
});

const run = promisify(execFile);
const PROGRAMS = { "pos-connect-service": process.env.POS_SERVICE_BIN, "pos-connect-relay": process.env.POS_RELAY_BIN };

/** The options of a subcommand, as the program itself tells them. */
async function help(program, words) {
  const { stdout } = await run(PROGRAMS[program], [...words, "--help"]);
  return stdout;
}

/** The commands of a shell block: one a line, unless the line goes on. */
const commands = ({ code }) =>
  code
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() && !line.startsWith("#"));

test("the commands exist, and have these options", async () => {
  const xtask = await text("xtask/src/main.rs");
  let checked = 0;
  for (const fence of fences.filter(({ language }) => language === "sh")) {
    for (const command of commands(fence)) {
      const where = `${fence.path}:${fence.at}: ${command}`;
      const options = [...command.matchAll(/ (--[a-z][a-z-]+)/g)].map(([, name]) => name);
      const [, program, rest] = /cargo run (?:--release )?-p (pos-connect-\w+) -- (.*)/.exec(command) ?? [];
      if (program) {
        const told = await help(program, subcommand(rest));
        const ours = options.filter((name) => rest.includes(name));
        for (const name of ours) assert.ok(told.includes(name), `${where}: ${program} has no ${name}`);
        checked += 1;
      }
      const [, ours, more] = /cargo xtask (\S+)(.*)/.exec(command) ?? [];
      if (ours) {
        assert.ok(xtask.includes(`cargo xtask ${ours} `), `${where}: there is no such command`);
        for (const [name] of more.matchAll(/--[a-z-]+/g)) assert.ok(xtask.includes(name), `${where}: no ${name}`);
        checked += 1;
      }
    }
  }
  assert.ok(checked > 15, `only ${checked} commands`);
});

/** The words before the first option or value: `vendor add`. */
function subcommand(rest) {
  const words = rest.split(" ");
  const end = words.findIndex((word) => !/^[a-z]+(-[a-z]+)*$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

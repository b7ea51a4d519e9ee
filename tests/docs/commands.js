// The commands that pages give: what they call, and the options that each program says it has.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { text } from "./pages.js";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);

/** What `cargo build` has made last, for whoever runs these tests by hand. */
const built = (name) => fileURLToPath(new URL(`target/debug/${name}`, root));

/** Our own programs, by the name that cargo has for them. */
export const PROGRAMS = {
  "pos-connect-service": process.env.POS_SERVICE_BIN ?? built("pos-connect-service"),
  "pos-connect-relay": process.env.POS_RELAY_BIN ?? built("pos-connect-relay"),
};

const CONFORMANCE = fileURLToPath(new URL("conformance/cli.js", root));

/** Programs without subcommands, mostly other people's, with the forms that pages use. A value stands after these. */
const KNOWN = {
  "cargo test": ["--lib", "-p", "--test", "--include-ignored"],
  "cargo check": ["--tests", "--target", "-p", "--features"],
  "cargo fmt": [],
  "cargo clippy": [],
  "npm install": [],
  "npm ci": [],
  "npx pos-connect dev": ["--port"],
  "npx serve": [],
  "wasm-pack test": [
    ...["--headless", "--mode", "--chrome", "--firefox", "--safari", "--test"],
    ...["--chromedriver", "--geckodriver", "--safaridriver"],
  ],
  "node conformance/cli.js": [...optionsOf(execFileSync("node", [CONFORMANCE, "--help"], { encoding: "utf8" })).keys()],
  node: ["-p", "--test", "--test-concurrency", "--test-reporter"],
  "apt-get install": ["--allow-downgrades"],
  "systemctl enable": ["--now"],
  "systemctl restart": [],
  "systemctl start": [],
  "systemctl stop": [],
  "apt-get remove": [],
  "apt-get purge": [],
  install: ["-d", "-m", "-o", "-g"],
  mkdir: ["-m"],
  cd: [],
  touch: [],
  chown: [],
  chmod: [],
  "openssl rand": ["-hex"],
  "docker load": ["--input"],
  "docker run": ["--rm"],
  "docker volume inspect": ["--format"],
  "docker compose up": ["--detach", "--wait"],
  "docker compose stop": [],
  "docker compose cp": [],
  "docker compose exec": ["--username", "--dbname", "--command", "--set"],
  "kubectl create secret generic": ["--from-file"],
  "kubectl apply": ["--filename", "--selector"],
  "kubectl rollout status": [],
  pg_dump: ["--schema", "--file"],
  createdb: ["--host", "--username"],
  psql: ["--single-transaction", "--set", "--file"],
  "skopeo copy": ["--all"],
  mv: [],
  cp: ["-p"],
  cat: [],
  date: [],
  sed: ["-i"],
  journalctl: ["--vacuum-size"],
  setpriv: ["--reuid", "--regid", "--clear-groups"],
  curl: ["-s", "-H", "-X", "--json"],
  df: ["-h"],
  du: ["-ah", "-h"],
  set: ["-a"],
  ".": [],
  export: [],
};

/** What incidents.md defines, so that its commands are short. */
const DEFINED = { at_service: "pos-connect-service", at_relay: "pos-connect-relay" };

/** The options of other people's programs, which sentences name without their program. */
export const KNOWN_OPTIONS = new Set(Object.values(KNOWN).flat());

const SUBSTITUTED = /\$\(((?:"[^"]*"|[^()"])*)\)/g;

/** The commands of a shell block, each as one line; what stands in `$(…)` or after `&&` is one of its own. */
export function commandsOf({ code }) {
  const lines = code.replaceAll(/\\\n\s*/g, "").split("\n");
  return lines.flatMap((line) => {
    const inner = [...line.matchAll(SUBSTITUTED)].map(([, command]) => command);
    return [...inner, ...line.replaceAll(SUBSTITUTED, "…").split(" && ")].filter((command) => command.trim() !== "");
  });
}

/** A command's words, without the variables that are set for it and where its output goes. */
export function wordsOf(command) {
  const words = command.replace(/ >>? \S+$/, "").match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return words.slice(first);
}

const optionsIn = (words) => words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split("=")[0]);

/** Fails unless program, subcommand and every option exist, and what they name. `isWhole`: it can be run as it is. */
export async function check(command, { isWhole = false } = {}) {
  const words = wordsOf(command.replace(/^sh workbench\/src\/display\.sh ?/, ""));
  if (words.length === 0) return undefined;
  if (words[0] === "cargo" && words[1] === "xtask") return checkXtask(words.slice(2));
  if (words[0] === "cargo" && words[1] === "run") return checkRun(words, isWhole);
  const name = words[0].replace("()", "");
  if (name !== words[0]) return assert.equal(command.trim(), definition(name));
  if (name in DEFINED) return checkOurs(DEFINED[name], [...words.slice(1), "--config"], isWhole);
  // In a new container, whose program it is.
  const inNew = /^ *docker compose run --rm (?:--volume \S+ )?(service|relay) (.*)$/.exec(command);
  if (inNew) return checkOurs(`pos-connect-${inNew[1]}`, wordsOf(inNew[2]), isWhole);
  // As another user or in a container, and as it is called where it is installed.
  const [before] = /^ *(?:sudo -u \S+|docker compose exec \S+|kubectl exec \S+ --) (?:\/usr\/bin\/)?/.exec(command) ?? [
    "",
  ];
  const ours = wordsOf(command.slice(before.length));
  if (ours[0] in PROGRAMS) return checkOurs(ours[0], ours.slice(1), isWhole);
  const known = Object.keys(KNOWN).find((form) => `${words.join(" ")} `.startsWith(`${form} `));
  assert.ok(known, "nobody here knows this command");
  for (const option of optionsIn(words)) assert.ok(KNOWN[known].includes(option), `\`${known}\` has no ${option}`);
  await checkValues(words);
}

/** A program as its user, with the settings of its Debian package. */
function definition(name) {
  const program = DEFINED[name];
  const settings = program?.replace("pos-connect-", "");
  return `${name}() { sudo -u ${program} ${program} "$@" --config /etc/pos-connect/${settings}.toml; }`;
}

/** What a command of cargo, wasm-pack or node names in the repository. */
async function checkValues(words) {
  for (const [at, word] of words.entries()) {
    const value = words[at + 1];
    if (word === "-p" && words[0] === "cargo") {
      assert.ok((await packages()).includes(value), `there is no package ${value}`);
    }
    if (word === "--test" && words[0] !== "node") {
      assert.ok(existsSync(new URL(`tests/${value}.rs`, root)), `there is no test ${value}`);
    }
    if (words[0] === "node" && /\.m?js$/.test(word) && !word.startsWith("*")) {
      assert.ok(existsSync(new URL(word, root)), `there is no ${word}`);
    }
  }
}

async function packages() {
  const members = /members = \[([^\]]*)\]/.exec(await text("Cargo.toml"))[1].match(/[\w/-]+/g);
  const manifests = ["Cargo.toml", ...members.map((member) => `${member}/Cargo.toml`)];
  return Promise.all(manifests.map(async (path) => /^name = "([^"]+)"/m.exec(await text(path))?.[1]));
}

/** The help of each command of xtask, by its name. */
export async function xtaskHelp() {
  const help = /const HELP: &str = "\\\n(.*?)\n";/s.exec(await text("xtask/src/main.rs"))[1];
  const sections = help.split(/^cargo xtask /m).filter((section) => section !== "");
  return new Map(sections.map((section) => [/^\S+/.exec(section)[0], section]));
}

async function checkXtask([name, ...words]) {
  if (name === "help") return;
  const help = (await xtaskHelp()).get(name);
  assert.ok(help, `there is no \`cargo xtask ${name}\``);
  const options = new Set(help.match(/--[a-z-]+/g));
  for (const option of optionsIn(words)) assert.ok(options.has(option), `\`cargo xtask ${name}\` has no ${option}`);
  for (const [at, word] of words.entries()) {
    // What is in capitals stands for a value.
    if (!["--only", "--engines"].includes(word) || /^[A-Z]+$/.test(words[at + 1])) continue;
    const known = new Set(help.match(/[\w-]+/g));
    // `e2e/reload` is a file of a step.
    for (const value of words[at + 1].split(",").map((value) => value.split("/")[0]))
      assert.ok(known.has(value), `${word} does not know ${value}`);
  }
}

async function checkRun(words, isWhole) {
  const program = words[words.indexOf("-p") + 1];
  assert.ok(program in PROGRAMS, `there is no program ${program}`);
  const end = words.indexOf("--");
  for (const option of optionsIn(words.slice(2, end))) assert.ok(["-p", "--release"].includes(option), option);
  await checkOurs(program, words.slice(end + 1), isWhole);
}

/** A command of the service or the relay, as `["vendor", "add", "--name", …]`. */
export async function checkOurs(program, words, isWhole) {
  const help = await helpOf(program, subcommand(words));
  const given = optionsIn(words);
  for (const option of given) assert.ok(optionsOf(help).has(option), `${program} has no ${option} there`);
  const usage = help.match(/^Usage:.*$/m)[0].replaceAll(/\[[^\]]*\]/g, "");
  // <--one <X>|--other <Y>> needs any of them.
  const needed = usage.split(/\s(?=<?--)/).map((part) => part.match(/--[a-z-]+/g) ?? []);
  const missing = needed.filter((any) => any.length > 0 && !any.some((option) => given.includes(option)));
  if (isWhole) assert.deepEqual(missing, [], `${program} needs more there`);
}

/** The words before the first option or value: `vendor add`. */
function subcommand(words) {
  const end = words.findIndex((word) => !/^[a-z]+(-[a-z]+)*$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

/** What a program says of a subcommand; rejects if there is none. */
export async function helpOf(program, words) {
  assert.ok(existsSync(PROGRAMS[program]), `first run: cargo build -p ${program}`);
  const { stdout } = await run(PROGRAMS[program], [...words, "--help"], { env: {}, timeout: 120_000 }).catch(
    (error) => {
      throw new Error(`${program} has no \`${words.join(" ")}\`: ${error.stderr || error.message}`);
    },
  );
  return stdout;
}

/** The options in a program's help, with their defaults, if they have one. */
export function optionsOf(help) {
  const lines = help.split("\n").map((line) => /^ +(?:-\w, )?(--[a-z-]+)/.exec(line) && line);
  const options = lines
    .filter(Boolean)
    .map((line) => [/--[a-z-]+/.exec(line)[0], /\[default: "?(.*?)"?\]$/.exec(line)?.[1]]);
  return new Map(options);
}

/** Every command of a program: itself, its subcommands, and theirs. */
export async function everyCommand(program, words = []) {
  const help = await helpOf(program, words);
  const list = /^Commands:\n((?: .*\n)+)/m.exec(help)?.[1] ?? "";
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name).filter((name) => name !== "help");
  const deeper = await Promise.all(names.map((name) => everyCommand(program, [...words, name])));
  return [{ words, help }, ...deeper.flat()];
}

// An app of a row: installed, built and served as its tool's documentation says.
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { endTree, freePort, PATIENTLY, Program } from "../e2e/support/process.js";
import { tarball } from "../package/project.js";
import { serve } from "../package/site.js";

const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const FOLDER = fileURLToPath(new URL("../../target/matrix/", import.meta.url));
/** Some tools want a newer one than the tests do. */
const NODE = "24.21.0";
const INSTALL = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--save-exact", "--loglevel=error"];
/** Nobody is told that this ran. */
const SILENT = {
  ASTRO_TELEMETRY_DISABLED: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  NG_CLI_ANALYTICS: "false",
};

/** The folder of a Node of our own, installed once. */
async function newNode() {
  const folder = join(FOLDER, "node");
  const program = join(folder, "node_modules/node/bin/node");
  const isThere = await run(program, ["--version"]).then(
    ({ stdout }) => stdout.trim() === `v${NODE}`,
    () => false,
  );
  if (!isThere) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
    await run(npm, [...INSTALL, `node@${NODE}`], { cwd: folder });
  }
  return dirname(program);
}

export class App {
  #env;
  #served = [];

  constructor(name) {
    this.folder = join(FOLDER, name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"));
  }

  /** Writes the files, with the simulation's address in them, and installs the packages and the tarball. */
  async install({ packages = {}, files, manifest }, address) {
    await this.remove();
    const path = [join(this.folder, "node_modules/.bin"), await newNode(), process.env.PATH].join(delimiter);
    // A test runner in there would report to this one.
    this.#env = { ...process.env, NODE_TEST_CONTEXT: undefined, PATH: path, CI: "1", NO_COLOR: "1", ...SILENT };
    const dependencies = { "pos-connect": `file:${tarball}`, ...packages };
    const start = { name: "till", private: true, type: "module", dependencies, ...manifest };
    for (const [name, content] of Object.entries({ "package.json": JSON.stringify(start), ...files })) {
      const file = join(this.folder, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content.replaceAll("SERVICE", address));
    }
    await this.#run(npm, INSTALL);
  }

  /** Runs a command of the row. */
  run(command) {
    const [program, ...words] = command.split(" ");
    return this.#run(program, words);
  }

  async #run(program, words) {
    try {
      const { stdout, stderr } = await run(program, words, { cwd: this.folder, env: this.#env, maxBuffer: 1 << 26 });
      return stdout + stderr;
    } catch (error) {
      // Its message has what went to the standard error.
      throw new Error(`${error.message}\n${error.stdout}`, { cause: error });
    }
  }

  /** Serves a folder as it is, or starts what serves the app; gives the address and, of a folder, the site. */
  async serve({ folder, start }) {
    if (folder !== undefined) {
      const site = await serve(join(this.folder, folder));
      this.#served.push(site.close);
      return { url: site.url, site };
    }
    const port = await freePort();
    const [name, ...words] = start.replaceAll("PORT", port).split(" ");
    const env = { ...this.#env, PORT: String(port) };
    const program = new Program(name, words, { env, cwd: this.folder });
    this.#served.push(() => endTree(program));
    const url = `http://localhost:${port}/`;
    // The first answer of a development server may need a build.
    await program.until("page", () => fetch(url).then(({ ok }) => ok, () => false));
    return { url, program };
  }

  /** Ends what serves. */
  async stop() {
    for (const end of this.#served.splice(0)) await end();
  }

  remove() {
    return rm(this.folder, PATIENTLY);
  }
}

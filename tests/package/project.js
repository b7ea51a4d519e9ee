// An empty project with nothing in it but the tarball, installed as a user would install it.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** The tarball under test; `cargo xtask test` names it. */
export const tarball = required("POS_PACKAGE");

export async function newProject(files = {}) {
  const folder = await mkdtemp(join(tmpdir(), "pos-connect-package-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  // Offline: a package without dependencies needs no registry.
  await run(
    npm,
    ["install", "--offline", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error", tarball],
    {
      cwd: folder,
      shell: process.platform === "win32",
    },
  );
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Runs Node in the project on the text of a module. */
export async function runNode(folder, module) {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", module], { cwd: folder });
  return stdout;
}

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run these tests with: cargo xtask test --only package`);
  return value;
}

// The compilers that consumers use, on files beside the installed package.
import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { newProject } from "./project.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const COMPILERS = ["typescript", "typescript-5"];

let project;
before(async () => {
  project = await newProject();
  await mkdir(join(project.folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/node", "@types/react", "vue", "svelte"])
    await symlink(here(`node_modules/${name}`), join(project.folder, "node_modules", name));
});
after(() => project.remove());

/** What a compiler says of a file of this folder; nothing if all is well. */
export async function complaints(compiler, file, more) {
  const files = [basename(file)];
  await copyFile(here(file), join(project.folder, ...files));
  const target = { strict: true, noEmit: true, types: [], target: "es2022", lib: ["es2022", "dom"] };
  const compilerOptions = { ...target, ...more };
  await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = here(`node_modules/${compiler}/bin/tsc`);
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, "--project", project.folder, "--pretty", "false"], (error, stdout, stderr) => {
      if (error && !stdout) reject(new Error(stderr || error.message));
      else resolve(stdout);
    });
  });
}

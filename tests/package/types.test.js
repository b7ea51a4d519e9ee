// The types as a consumer's compiler sees them, declaration files checked too, in every way that resolves `exports`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newProject } from "./project.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A template that uses the element, or what the compiler of such templates checks it by. */
const FRAMEWORKS = { React: "react.tsx", Vue: "vue.ts", Svelte: "svelte.ts" };

let project;
before(async () => {
  project = await newProject();
  await copyFile(here("consumer.ts"), join(project.folder, "consumer.ts"));
  for (const name of Object.values(FRAMEWORKS)) await copyFile(here(`frameworks/${name}`), join(project.folder, name));
  await mkdir(join(project.folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/react", "vue", "svelte"])
    await symlink(here(`node_modules/${name}`), join(project.folder, "node_modules", name));
});
after(() => project.remove());

for (const compiler of ["typescript", "typescript-5"]) {
  for (const [module, moduleResolution] of [
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ]) {
    test(`${compiler} with --moduleResolution ${moduleResolution}`, async () => {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        skipLibCheck: false,
        types: [],
        target: "es2022",
        lib: ["es2022", "dom"],
        module,
        moduleResolution,
      };
      await writeFile(
        join(project.folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: ["consumer.ts"] }),
      );
      assert.equal(await complaints(here(`node_modules/${compiler}/bin/tsc`)), "");
    });
  }
}

for (const compiler of ["typescript", "typescript-5"]) {
  for (const [framework, file] of Object.entries(FRAMEWORKS)) {
    test(`${compiler} knows the element in ${framework}`, async () => {
      // Their own declaration files are not ours to check.
      const options = {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        jsx: "react-jsx",
        target: "es2022",
        lib: ["es2022", "dom"],
      };
      const compilerOptions = { ...options, module: "esnext", moduleResolution: "bundler" };
      await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
      assert.equal(await complaints(here(`node_modules/${compiler}/bin/tsc`)), "");
    });
  }
}

/** What the compiler says; nothing if all is well. */
function complaints(tsc) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [tsc, "--project", project.folder, "--pretty", "false"], (error, stdout, stderr) => {
      if (error && !stdout) reject(new Error(stderr || error.message));
      else resolve(stdout);
    });
  });
}

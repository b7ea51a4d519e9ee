// A project where `pos-connect` is the fake, as test runners put it in its place, and a document of jsdom's.
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { JSDOM } from "jsdom";
import { newProject } from "./project.js";

const installed = fileURLToPath(new URL("node_modules/", import.meta.url));

/** What frameworks and their test libraries look for before they are called. */
const GLOBALS = ["window", "document", "Node", "Element", "HTMLElement", "HTMLIFrameElement", "SVGElement", "Event"];
const { window } = new JSDOM("<!doctype html>", { url: "https://till.example/", pretendToBeVisual: true });
for (const name of GLOBALS) globalThis[name] = window[name];
globalThis.navigator ??= window.navigator;

/** `load(name)` gives a module of the project, which has these packages from the folder `from` beside this file. */
export async function fakedProject(packages, from = "node_modules") {
  const project = await newProject();
  const modules = join(project.folder, "node_modules");
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(installed, "..", from, name), join(modules, name));
  }
  const manifest = join(modules, "pos-connect/package.json");
  const content = JSON.parse(await readFile(manifest, "utf8"));
  content.exports["."] = content.exports["./testing"];
  await writeFile(manifest, JSON.stringify(content));
  const script = join(project.folder, "load.js");
  await writeFile(script, "export const load = (name) => import(name);");
  return { ...project, ...(await import(pathToFileURL(script))) };
}

/** A promise and what settles it. */
export function pending() {
  const given = {};
  given.promise = new Promise((resolve) => {
    given.resolve = resolve;
  });
  return given;
}

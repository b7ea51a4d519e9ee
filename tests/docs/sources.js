// The text of all that is code in the repository: names that a page uses are looked for in it.
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FOLDERS = [
  "src",
  "phone",
  "texts",
  "protocol",
  "foundation",
  "service",
  "relay",
  "workbench",
  "xtask",
  "phone-data",
];
const MORE = ["conformance", "pkg-template", "www", "examples", "tests"];
/** What is not written here, and these tests, which name what is not there. */
const PASSED_OVER = new Set(["node_modules", "target", "docs"]);
const CODE = /\.(?:rs|m?js|sh|ts|sql|html|css|toml|json|py)$/;

/** Each file of code: its path in the repository, and its text. */
export async function files() {
  const found = (await Promise.all([...FOLDERS, ...MORE].map((folder) => filesOf(join(root, folder))))).flat();
  const manifests = ["Cargo.toml", "webdriver.json"].map((name) => join(root, name));
  const read = async (path) => ({ path: relative(root, path), text: await readFile(path, "utf8") });
  return Promise.all([...found, ...manifests].map(read));
}

/** All of it in one text. */
export const sources = async () => (await files()).map(({ text }) => text).join("\n");

async function filesOf(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries.filter(({ name }) => !PASSED_OVER.has(name) && name !== "package-lock.json");
  const nested = found.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesOf(path);
    return CODE.test(entry.name) ? [path] : [];
  });
  return (await Promise.all(nested)).flat();
}

// The tarball in an empty project, served with the pages of this suite and what they bring along, and a browser.
import { readdirSync } from "node:fs";
import { cp, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before } from "node:test";
import { unzipSync } from "node:zlib";
import { build } from "esbuild";
import { openBrowser, resize } from "../e2e/support/browser.js";
import { reads } from "../e2e/support/wait.js";
import { newProject } from "../package/project.js";
import { serve } from "../package/site.js";

const require = createRequire(import.meta.url);
const pages = new URL("page/", import.meta.url);
const beside = new URL("beside/", import.meta.url);
/** Served beside the pages, from the packages. */
const COPIED = {
  "tailwind.css": require.resolve("tailwindcss/preflight.css"),
  "bootstrap.css": require.resolve("bootstrap/dist/css/bootstrap.css"),
  "normalize.css": require.resolve("normalize.css"),
  "mockServiceWorker.js": require.resolve("msw/mockServiceWorker.js"),
};
/** What New Relic's service says to a page: that all of it is recorded. */
const RECORD = { app: { agents: [{ entityGuid: "1" }], nrServerTime: Date.now() }, sr: 1, srs: 1 };
/** A service that takes everything, and a connect page that nobody answers. */
const ANSWERS = {
  "/new-relic/marked/1/key": RECORD,
  "/new-relic/unmarked/1/key": RECORD,
  "/v1/auth/integration": { success: true, integrationToken: "token-1", status: "pending" },
  "/v1/orders": { success: true, order: {}, receivedAt: "2026-11-26T08:30:00Z", ereceipt: "queued" },
  "/connection": { success: true, connected: true, ereceipt: true },
};

/** For the tests of a file: `{ url, window, posted, resize }`, with a selenium window. */
export function field() {
  const shared = {};
  let site, browser;
  before(async () => {
    site = await openSite();
    browser = await openBrowser();
    const { window } = browser;
    Object.assign(shared, { ...site, window, resize: (width, height) => resize(window, width, height) });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
  return shared;
}

/** The pages, served: `{ url, posted, close }`; `posted` gives the text of all that came below a path. */
export async function openSite() {
  const files = {};
  for (const name of await readdir(pages)) files[name] = await readFile(new URL(name, pages), "utf8");
  const project = await newProject(files);
  for (const [name, path] of Object.entries(COPIED)) await cp(path, join(project.folder, name));
  await bundle(project.folder);
  await transpile(project.folder);
  const answers = Object.entries(ANSWERS).map(([path, answer]) => [path, JSON.stringify(answer)]);
  const site = await serve(project.folder, undefined, Object.fromEntries(answers));
  const close = () => site.close().then(() => project.remove());
  const posted = async (to) => (await Promise.all(site.posted(to).map(legible))).join("\n");
  return { ...site, posted, close };
}

/** The text of what was posted: each part of a form, unpacked. */
async function legible({ type, body }) {
  const isForm = type.startsWith("multipart/form-data");
  const form = isForm ? await new Response(body, { headers: { "content-type": type } }).formData() : undefined;
  const parts = await Promise.all([...(form?.values() ?? [body])].map((part) => new Response(part).arrayBuffer()));
  // A text begins with neither.
  const isPacked = (bytes) => bytes[0] === 0x1f || bytes[0] === 0x78;
  const unpacked = (bytes) => (isPacked(bytes) ? unzipSync(bytes) : bytes);
  return parts.map((part) => unpacked(Buffer.from(part)).toString()).join("\n");
}

/** What pages bring along, as their own bundlers would serve it. */
const bundle = (outdir) =>
  build({
    entryPoints: readdirSync(beside).map((name) => new URL(name, beside).pathname),
    outdir,
    outExtension: { ".js": ".bundle.js" },
    bundle: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });

/** Has the WebAssembly in the bundle. */
const inline = (path) => ({
  name: "inline",
  setup: (build) => build.onResolve({ filter: /pos-connect\/index\.js$/ }, () => ({ path })),
});

/** The till as Angular's builder serves it: zone.js sees promises, and no `await`. */
const transpile = (folder) =>
  build({
    entryPoints: [join(folder, "till.js")],
    outfile: join(folder, "till.bundle.js"),
    plugins: [inline(join(folder, "node_modules/pos-connect/inline.js"))],
    supported: { "async-await": false },
    bundle: true,
    format: "esm",
    logLevel: "error",
  });

/** Waits until a script of the page gives what is expected. */
export const becomes = (window, script, expected) => reads(script, () => window.executeScript(script), expected);

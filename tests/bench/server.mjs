// Serves the pages of this folder, the packages, and what the parts of the benchmark add.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { listening } from "../e2e/support/way.js";
import { packages } from "./package.mjs";

export const TYPES = { ".js": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };
const ISOLATED = {
  // An isolated page's clock ticks every 5 µs, another's every 100.
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** A file of `folder`, or nothing. */
export const fileIn = (folder, path) => {
  const name = normalize(path).replace(/^([/\\]|\.\.[/\\])+/, "");
  return readFile(join(folder, name)).catch(() => undefined);
};

/**
 * Starts the server.
 * @param {Record<string, (path: string, query: URLSearchParams) => unknown>} routes the first part of a path, and what
 *   answers the rest
 */
export async function serve(routes, headers = ISOLATED) {
  const answers = { ...routes };
  for (const [name, folder] of Object.entries(packages)) answers[name] = (path) => fileIn(folder, path);
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const [, first, rest] = /^\/([^/]*)\/?(.*)$/.exec(pathname);
    const body = await (answers[first]?.(rest, searchParams) ?? fileIn(import.meta.dirname, pathname));
    const type = TYPES[extname(pathname)] ?? "text/plain";
    response.writeHead(body ? 200 : 404, { "content-type": type, ...headers }).end(body ?? "");
  });
  const { url } = await listening(server);
  return { origin: url, close: () => server.close() };
}

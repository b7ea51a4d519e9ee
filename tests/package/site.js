// A static web server over one folder that remembers what was asked for.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { buffer } from "node:stream/consumers";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/**
 * Requests whose path matches `failing` are answered 503 as long as `failing.times` lasts; `answers` are JSON texts by
 * path, or functions that answer. What is posted elsewhere is kept, too.
 */
export async function serve(folder, failing = { path: /^$/, times: 0 }, answers = {}) {
  const [requests, posted] = [[], []];
  // Node closes a kept connection after 5 s; a browser that asks again just then may see it fail.
  const server = createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
    const path = new URL(request.url, "http://site").pathname;
    requests.push(path);
    if (answers[path]?.call) return answers[path](request, response);
    const isPost = request.method === "POST";
    if (isPost) posted.push({ path, type: request.headers["content-type"] ?? "", body: await buffer(request) });
    if (failing.path.test(path) && failing.times-- > 0) return response.writeHead(503).end();
    const answer = answers[path] ?? (isPost && "{}");
    if (answer) return response.writeHead(200, { "content-type": "application/json" }).end(answer);
    try {
      const bytes = await readFile(join(folder, decodeURIComponent(path.replace(/\/$/, "/index.html"))));
      response.writeHead(200, { "content-type": types[extname(path)] ?? "text/html" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** The paths that were asked for so far. */
    requests: () => requests,
    /** What came to a path or below it so far: `{ path, type, body }`, the body in bytes. */
    posted: (to) => posted.filter(({ path }) => path.startsWith(to)),
    /** How often a `.wasm` file was asked for since the last time this was read. */
    wasmRequests: () => requests.splice(0).filter((path) => path.endsWith(".wasm")).length,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

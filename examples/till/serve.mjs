// Serves the page of the quick start, the package as /pos-connect/, and the till's key. For trying things out only.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";

const PORT = Number(process.argv[2] ?? 8082);
const HOST = `localhost:${PORT}`;
const ROOT = new URL("../../", import.meta.url);
const TYPES = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".json", "application/json"],
  [".wasm", "application/wasm"],
]);
const FILES = new Map([
  ["/", "examples/till/index.html"],
  ["/till.js", "examples/till/till.js"],
  ["/till.json", "target/till.json"], // A real till's page gets its key when the till signs in.
]);

/** The file behind a path: one of ours, or one of the package's. */
function fileOf(path) {
  const inPackage = /^\/pos-connect\/((?:wasm\/)?\w[\w.-]*)$/.exec(path);
  return inPackage ? `pkg/${inPackage[1]}` : FILES.get(path);
}

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, `http://${HOST}`);
  if (pathname === "/favicon.ico") return response.writeHead(204).end(); // Every browser asks for one.
  const file = fileOf(pathname);
  // A page of another host name that DNS points at this machine must not read the key.
  if (request.headers.host !== HOST || !file) return response.writeHead(404).end();
  try {
    const body = await readFile(new URL(file, ROOT));
    const type = TYPES.get(extname(file)) ?? "text/plain";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(PORT, "127.0.0.1", () => console.log(`page  http://${HOST}`));

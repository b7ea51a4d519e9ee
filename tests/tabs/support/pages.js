import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { pathFrom } from "../../e2e/support/environment.js";

export const PAGE_FOLDER = fileURLToPath(new URL("../page", import.meta.url));

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves the page, and the built package under `/pkg/`. Its origin must not change while a profile is kept. */
export class Pages {
  #server;
  #remote;

  static async start() {
    const pages = new Pages();
    pages.#server = createServer({ keepAliveTimeout: 120_000 }, (request, response) =>
      pages.#answer(request, response),
    ).listen(0, "127.0.0.1");
    await once(pages.#server, "listening");
    pages.origin = `http://127.0.0.1:${pages.#server.address().port}`;
    return pages;
  }

  /** Whoever tells the pages of `remote.html` what to do. */
  set remote(remote) {
    this.#remote = remote;
  }

  async #answer(request, response) {
    await (request.url === "/remote" ? this.#remote.answer(request, response) : serve(request, response));
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function serve(request, response) {
  const path = normalize(new URL(request.url, "http://pages").pathname);
  const file = path.startsWith("/pkg/")
    ? join(pathFrom("POS_PACKAGE_DIR"), path.slice("/pkg/".length))
    : join(PAGE_FOLDER, path === "/" ? "index.html" : path);
  try {
    const body = await readFile(file);
    response
      .writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain", "cache-control": "no-store" })
      .end(body);
  } catch {
    response.writeHead(404).end();
  }
}

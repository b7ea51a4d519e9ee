// A service that answers each operation with the next step of a list; the last step repeats.

const CORS = {
  // Chromium repeats a request by itself if a kept connection turns out dead, and would hide a dropped answer from the
  // test.
  connection: "close",
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "*, authorization",
  "access-control-expose-headers": "Retry-After, X-Request-Id",
};

/**
 * Steps by operation (`create`, `status`, `token`, `reissue`, `acknowledge`, `cancel`). A step may have `status`,
 * `headers`, `body` (JSON), `text` (as it is), `delayMs`, `drop` (no answer), `cut` (half an answer), `hidden` (no CORS
 * header).
 */
export class Script {
  log = [];
  #steps;
  #next = {};

  constructor(steps) {
    this.#steps = steps;
  }

  async answer(request, response) {
    if (request.method === "OPTIONS") return response.writeHead(204, CORS).end();
    const operation = name(request);
    const { pathname: path, searchParams } = new URL(request.url, "http://rig");
    this.log.push({
      operation,
      at: Date.now(),
      authorization: request.headers.authorization ?? null,
      path,
      pickup: searchParams.get("pickup_id"),
      of: searchParams.get("integration_token"),
    });
    const steps = this.#steps[operation] ?? [{ status: 500 }];
    const at = this.#next[operation] ?? 0;
    this.#next[operation] = at + 1;
    const step = steps[Math.min(at, steps.length - 1)];
    if (step.delayMs) await new Promise((resolve) => setTimeout(resolve, step.delayMs));
    if (step.drop) return response.destroy();
    if (step.hidden) response.removeHeader("access-control-allow-origin");
    const body = Buffer.from(step.text ?? JSON.stringify(step.body ?? null));
    response.writeHead(step.status ?? 200, {
      ...CORS,
      "content-type": "application/json",
      "content-length": body.length,
      ...step.headers,
    });
    if (!step.cut) return response.end(body);
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  }
}

function name({ method, url }) {
  const { pathname } = new URL(url, "http://rig");
  if (pathname.endsWith("/token/reissue")) return method === "POST" ? "reissue" : "unknown";
  if (pathname.endsWith("/token")) return { GET: "token", DELETE: "acknowledge" }[method] ?? "unknown";
  return { POST: "create", GET: "status", DELETE: "cancel" }[method] ?? "unknown";
}

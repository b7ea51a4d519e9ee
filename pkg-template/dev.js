#!/usr/bin/env node
// `npx pos-connect dev`: the fake service over HTTP, for whoever tries a page without the real service and relay.
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { BODY_LIMIT, bodyOf } from "./server/body.js";
import { middlewareOf } from "./server/middleware.js";
import { fakeService } from "./testing/index.js";

const USAGE = "Usage: npx pos-connect dev [--port 8090]";
const HOST = "127.0.0.1";
// The fake passes on what is not its own. Here that reaches no network.
globalThis.fetch = async () => new Response(null, { status: 404 });
/** `middlewareOf` makes every URL begin with this `baseUrl`. */
const service = fakeService({ baseUrl: "http://localhost", connect: "pending", receiptUrl: null });
/** The headers of the real answers that a page of another origin may read. */
const EXPOSED = "Retry-After, X-Request-Id, Idempotent-Replayed, Test-Mode";

function portOf(args) {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { port: { type: "string", default: "8090" } },
    });
    const isPort = /^\d{1,5}$/.test(values.port) && values.port < 65536;
    if (positionals.join(" ") === "dev" && isPort) return Number(values.port);
  } catch {}
  return undefined;
}

/** Any page may call: there is nothing here that another one must not know. */
function crossOrigin(request, response) {
  const { headers } = response;
  headers.set("access-control-allow-origin", "*");
  headers.set("access-control-expose-headers", EXPOSED);
  headers.set("access-control-allow-methods", "GET, POST, PATCH, DELETE");
  headers.set("access-control-allow-headers", request.headers.get("access-control-request-headers") ?? "*");
  headers.set("cache-control", "no-store");
  return response;
}

async function answer(request) {
  if (request.method === "OPTIONS") return crossOrigin(request, new Response(null, { status: 204 }));
  const { pathname } = new URL(request.url);
  const response = await simulated(request).catch((error) => {
    console.error(`the simulation cannot answer: ${error.message}`);
    return new Response(null, { status: 400 });
  });
  // What was asked may have a shopper's number.
  service.requests.length = 0;
  console.log(`${request.method} ${pathname} ${response.status}`);
  return crossOrigin(request, response);
}

async function simulated(request) {
  const body = await bodyOf(request, BODY_LIMIT);
  if (body === null) return new Response(null, { status: 413 });
  const { method, headers } = request;
  return service.fetch(request.url, { method, headers, body: await body?.text() });
}

const greeting = (url) => `Simulation of service and relay: nothing is sent, and all is forgotten at the end.

  PosConnect.create({ baseUrl: "${url}", connectUrl: "${url}/connect", clientId: "${service.options.clientId}" })

The connect page takes any email and password. A back end of yours takes any client secret.
`;

const port = portOf(process.argv.slice(2));
if (port === undefined) {
  console.error(USAGE);
  process.exit(2);
}
const server = createServer(middlewareOf(answer));
server.on("error", ({ code }) => {
  console.error(`cannot listen on ${HOST}:${port} (${code}). ${USAGE}`);
  process.exit(1);
});
server.listen(port, HOST, () => console.log(greeting(`http://${HOST}:${server.address().port}`)));

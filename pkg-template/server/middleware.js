// Node's requests and responses as those of the web platform.
import { bodyWasRead } from "./body.js";

/** `(request, response, next?)`, for `node:http`, Express and Connect. `next` gets the paths that are none of ours. */
export const middlewareOf = (fetch, isOurs) => async (incoming, outgoing, next) => {
  const request = requestOf(incoming);
  if (!request || (next && !isOurs(request))) return next ? next() : outgoing.writeHead(400).end();
  const response = await fetch(request);
  // Not `send` of Express, which changes the content type and adds an ETag.
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
};

/**
 * `null` for what is no `Request`, as the method TRACE, and for a URL with a host, as a proxy gets it: a rejection that
 * nobody handles would end the process.
 */
function requestOf(incoming) {
  const { method, url } = incoming;
  if (!url.startsWith("/")) return null;
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  const body = ["GET", "HEAD"].includes(method) ? null : bodyOf(incoming);
  try {
    // Express takes a prefix away from `url`, as it is wanted here. As a relative one, `//till` would name a host.
    return new Request(`http://localhost${url}`, { method, headers, body, duplex: "half" });
  } catch {
    return null;
  }
}

/** Reads nothing before somebody asks, and leaves the connection open for the response if too much comes. */
async function* bodyOf(incoming) {
  if (incoming.readableDidRead) throw bodyWasRead();
  yield* incoming.iterator({ destroyOnReturn: false });
}

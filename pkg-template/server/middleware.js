// Node's requests and responses as those of the web platform.
import { Readable } from "node:stream";

/** `(request, response, next?)`, for `node:http`, Express and Connect. `next` gets the paths that are none of ours. */
export const middlewareOf = (fetch, isOurs) => async (incoming, outgoing, next) => {
  // Express takes a prefix away from `url`, as it is wanted here.
  const url = new URL(incoming.url, "http://localhost");
  if (next && !isOurs(url.pathname)) return next();
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  const hasBody = "content-length" in incoming.headers || "transfer-encoding" in incoming.headers;
  const body = hasBody && !["GET", "HEAD"].includes(incoming.method) ? Readable.toWeb(incoming) : null;
  const response = await fetch(new Request(url, { method: incoming.method, headers, body, duplex: "half" }));
  // Not `send` of Express, which changes the content type and adds an ETag.
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
};

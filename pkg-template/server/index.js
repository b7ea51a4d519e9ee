// A vendor's back end: what the SDK calls, between a till's page and the authorization service.
import { known } from "../options.js";
import { BODY_LIMIT, bodyOf } from "./body.js";
import { connectionsOf } from "./connections.js";
import { middlewareOf } from "./middleware.js";
import { restOf, secondsOf, upstreamOf } from "./upstream.js";

export { memoryStorage } from "./memory-storage.js";

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const CONNECTION = "/connection";
const ORDERS = "/v1/orders";
const ONE_ORDER = `${ORDERS}/{externalId}`;

// No other path of the service can be called through this back end.
const METHODS = {
  [INTEGRATION]: ["GET", "POST", "DELETE"],
  [TOKEN]: ["GET"],
  [CONNECTION]: ["GET", "DELETE"],
  [ORDERS]: ["POST"],
  [ONE_ORDER]: ["GET"],
  "/v1/customers": ["POST"],
  "/v1/store": ["GET", "PATCH"],
  "/v1/keys": ["GET"],
};

// No path, and no slash at the end: browsers send none, and the two are compared as they stand.
const IS_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/;
// The service takes no other name of a till.
const IS_TILL_ID = /^[\x21-\x7e]{1,64}$/;
const PASSED_ON = ["content-type", "idempotency-key"];
// A header that came twice is one value with a comma, which is no value of theirs.
const PASSED_BACK = { "x-request-id": /^[\w.-]{1,64}$/, "idempotent-replayed": /^true$/, "test-mode": /^true$/ };

const REQUIRED = ["clientId", "clientSecret", "storage", "tillOf"];
const OPTIONS = ["serviceUrl", ...REQUIRED, "origins", "mayChangeAccount", "onError"];

export function createBackEnd(options) {
  known("createBackEnd", options, OPTIONS);
  const { serviceUrl, clientId, clientSecret, storage, tillOf } = options;
  const { origins = [], mayChangeAccount = () => false } = options;
  for (const name of REQUIRED) if (!options[name]) throw new TypeError(`${name} is missing`);
  for (const origin of origins) {
    if (!IS_ORIGIN.test(origin)) throw new TypeError(`origins: ${origin} is not an origin: host and port, no path`);
  }
  const onError = reporterOf(options.onError ?? console.error);
  const upstream = upstreamOf({ serviceUrl, clientId, clientSecret });
  const connections = connectionsOf({ upstream, storage, mayChangeAccount, onError });

  async function answer(request, url) {
    const path = pathOf(url.pathname);
    const methods = METHODS[path];
    if (!methods) return refusal(404, "not_found");
    // A preflight carries no proof of who calls, so it comes before the question which till it is.
    if (request.method === "OPTIONS") return preflight(methods);
    if (!methods.includes(request.method)) return refusal(405, "method_not_allowed", { allow: methods.join(", ") });
    const till = await tillOf(request.headers.get("authorization"), request);
    // The SDK asks its `headers` function once more after a 401.
    if (!till) return refusal(401, "unauthorized");
    if (!IS_TILL_ID.test(till.id) || !till.merchant) throw new TypeError("tillOf: a till has an id and a merchant");
    if (path === CONNECTION) return connection(request.method, till);
    if (path === INTEGRATION || path === TOKEN) return integration(request.method, path, till, url.searchParams);
    return operation(request, path, till, url.pathname);
  }

  async function integration(method, path, till, query) {
    // The frame of a page with another client ID would stay empty.
    if ((query.get("client_id") ?? clientId) !== clientId) return refusal(400, "invalid_client");
    if (method === "POST") return respond(await connections.create(till));
    const token = query.get("integration_token");
    // One answer for "unknown" and for "another till's": a till learns nothing about the others.
    if (!token || !(await connections.owns(till, token))) return refusal(403, "invalid_integration");
    if (path === TOKEN) return respond(await connections.pickUp(till, token));
    return respond(await upstream.vendor(method, INTEGRATION, { integration_token: token }));
  }

  async function connection(method, till) {
    if (method === "GET") return respond({ status: 200, body: await connections.read(till) });
    await connections.disconnect(till);
    return respond({ status: 204, body: null });
  }

  async function operation(request, path, till, pathname) {
    const id = path === ONE_ORDER && externalIdOf(pathname);
    if (id === null) return refusal(400, "malformed_request");
    const body = await bodyOf(request, BODY_LIMIT);
    if (body === null) return refusal(413, "body_too_large");
    const headers = { "till-id": till.id };
    for (const name of PASSED_ON) if (request.headers.has(name)) headers[name] = request.headers.get(name);
    const to = path === ONE_ORDER ? `${ORDERS}/${id}` : path;
    return respond(await connections.operate(till, { method: request.method, path: to, headers, body }));
  }

  async function fetch(request) {
    const requestId = crypto.randomUUID();
    const response = await answer(request, new URL(request.url)).catch((error) => {
      // A framework's own error page could show more than a till may see. The till asks again after a 502.
      onError(error, requestId);
      return refusal(502, "upstream_unavailable", error?.restMs > 0 && { "retry-after": secondsOf(error.restMs) });
    });
    // The till reports it with its error, so that the operator finds the line in the log.
    if (!response.headers.has("x-request-id")) response.headers.set("x-request-id", requestId);
    return withCors(response, request.headers.get("origin"), origins);
  }

  return { fetch, middleware: middlewareOf(fetch, ({ url }) => pathOf(new URL(url).pathname) in METHODS) };
}

/** Never rejects: what nobody waits for and nobody handles would end the process. */
const reporterOf = (onError) => async (error, requestId) => {
  try {
    await onError(error, requestId);
  } catch (failure) {
    console.error(failure);
  }
};

/** The path as `METHODS` has it. */
const pathOf = (pathname) => (/^\/v1\/orders\/[^/]+$/.test(pathname) ? ONE_ORDER : pathname);

/** The external ID in a path, written anew: nothing of the caller's path goes further. `null` if it is none. */
function externalIdOf(pathname) {
  try {
    const id = encodeURIComponent(decodeURIComponent(pathname.slice(ORDERS.length + 1)));
    return id === "." || id === ".." ? null : id;
  } catch {
    return null;
  }
}

function respond({ status, body, headers: from }) {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  for (const [name, form] of Object.entries(PASSED_BACK)) {
    const value = from?.get(name) ?? "";
    if (form.test(value)) headers.set(name, value);
  }
  const restMs = from && restOf(from);
  // In seconds, whatever the service or a proxy wrote: a date would be read by the till's clock.
  if (restMs !== undefined || status === 429) headers.set("retry-after", secondsOf(restMs ?? 5000));
  if (status === 204) headers.delete("content-type");
  return new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
}

function refusal(status, code, headers = {}) {
  const response = respond({ status, body: { success: false, code } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function preflight(methods) {
  const response = respond({ status: 204, body: null });
  response.headers.set("access-control-allow-methods", methods.join(", "));
  // The asterisk does not stand for Authorization, so both are named.
  response.headers.set("access-control-allow-headers", "*, Authorization");
  response.headers.set("access-control-max-age", "600");
  return response;
}

/**
 * Lets the pages of `origins` read the response; errors too, or the SDK sees no 401 but a broken connection. Another
 * page gets an answer that its browser does not show it. This replaces no authentication.
 */
function withCors(response, origin, origins) {
  if (origins.length === 0) return response;
  response.headers.set("vary", "Origin");
  if (!origins.includes(origin)) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", "Retry-After, X-Request-Id, Idempotent-Replayed, Test-Mode");
  return response;
}

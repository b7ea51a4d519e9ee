// A back end of your own between the SDK and the service: it adds the client secret, picks up the tokens and keeps
// them. Plain Node 20 or later, no dependencies. Change what you need; express.mjs and hono.mjs show it in a framework.

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;

// No other path of the service can be called through this back end: each call carries your client secret.
const METHODS = { [INTEGRATION]: ["GET", "POST", "DELETE"], [TOKEN]: ["GET"] };

/** The paths to route to the handler. */
export const PATHS = Object.keys(METHODS);

// The SDK waits 30 seconds for the tokens. Two calls, the pick-up and a reissue, fit into that.
const SERVICE_TIMEOUT_MS = 10_000;

// No path, and no slash at the end: browsers send none, and the two are compared as they stand.
const IS_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/;

// What the SDK reads of the service's headers. No other header goes to the till.
const PASSED_HEADERS = ["retry-after", "x-request-id"];

/**
 * Makes the handler: `async (request, till) => response`, with the `Request` and `Response` of the web platform.
 * `till` is who calls, as your authentication found out: anything that `db` understands, or `null` for nobody.
 *
 * - `serviceUrl`: the service, https, such as "https://auth.example.com"
 * - `client_id`, `client_secret`: yours at the service; the secret comes from the environment or a secret store
 * - `db`: your storage, see docs/back-end.md
 * - `origins`: the origins of your tills' pages, exactly, if they differ from this back end's
 * - `onError`: gets what became a 502, and the request ID that the till was told
 */
export const backEnd = ({ serviceUrl, client_id, client_secret, db, origins = [], onError = console.error }) => {
  for (const origin of origins) {
    if (!IS_ORIGIN.test(origin)) throw new Error(`origins: ${origin} is not an origin: host and port, no path`);
  }
  const askService = serviceClient({ serviceUrl, client_id, client_secret });

  const create = async (till) => {
    const created = await askService("POST", INTEGRATION);
    // Stored before it is answered: the till's next call is refused if nobody knows whose integration it is.
    if (created.status === 200) await db.own(till, created.body.integrationToken);
    return created;
  };

  // The service gives the tokens only once. So only one call at a time may ask for them, and the lock ends after
  // they are stored.
  const pickUp = (integration_token) =>
    db.locked(integration_token, async (row) => {
      if (row.kept) return { status: 200, body: withoutTokens(row.kept) };
      // Not tied to the till's connection: a till that hangs up must not cut off the only answer with the tokens.
      const keys = { integration_token, pickup_id: row.pickupId };
      let answer = await askService("GET", TOKEN, keys);
      // The service has given the tokens to this very pickup_id, and they are not stored: that answer was lost.
      if (answer.status === 410 && answer.body?.pickup === "yours") {
        answer = await askService("POST", `${TOKEN}/reissue`, keys);
      }
      if (answer.status !== 200) return answer;
      if (!answer.body?.accessToken) throw new Error(`GET ${TOKEN}: 200 without tokens`);
      await row.keep(answer.body);
      return { ...answer, body: withoutTokens(answer.body) };
    });

  const answerCall = async (request, till) => {
    const { pathname, searchParams } = new URL(request.url);
    const methods = METHODS[pathname];
    if (!methods) return refusal(404, "not_found");
    // A preflight carries no proof of who calls, so it comes before the question which till it is.
    if (request.method === "OPTIONS") return preflight(methods);
    if (!methods.includes(request.method)) return refusal(405, "method_not_allowed", { allow: methods.join(", ") });
    // The SDK asks its `headers` function once more after a 401.
    if (till === null || till === undefined) return refusal(401, "unauthorized");
    // The frame of a page with another client ID would stay empty.
    if ((searchParams.get("client_id") ?? client_id) !== client_id) return refusal(400, "invalid_client");
    if (request.method === "POST") return respond(await create(till));

    const integration_token = searchParams.get("integration_token");
    // One answer for "unknown" and for "another till's": a till learns nothing about the others.
    if (!integration_token || !(await db.owns(till, integration_token))) return refusal(403, "invalid_integration");
    if (pathname === TOKEN) return respond(await pickUp(integration_token));
    return respond(await askService(request.method, INTEGRATION, { integration_token })); // status, cancel
  };

  return async (request, till) => {
    const requestId = crypto.randomUUID();
    const response = await answerCall(request, till).catch((error) => {
      // Your framework's own error page could show more than a till may see. The till asks again after a 502.
      onError(error, requestId);
      return refusal(502, "upstream_unavailable");
    });
    // The till reports it with its error, so that you find the line in your log.
    if (!response.headers.has("x-request-id")) response.headers.set("x-request-id", requestId);
    return withCors(response, request.headers.get("origin"), origins);
  };
};

/** Makes the function that calls the service. The secret is added here, and nowhere else. */
const serviceClient = ({ serviceUrl, client_id, client_secret }) => {
  const base = new URL(serviceUrl).href.replace(/\/$/, ""); // throws at the start if it is no URL

  return async (method, path, parameters = {}) => {
    const query = new URLSearchParams({ client_id, client_secret, ...parameters });
    try {
      const response = await fetch(`${base}${path}?${query}`, {
        method,
        // The service never redirects. Whoever does must not be believed, least of all with tokens.
        redirect: "error",
        // Covers the body, too. Without it, a service that hangs would hold the lock for ever.
        signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : null, headers: response.headers };
    } catch (error) {
      // Never the error itself, and never the URL: the query holds the secret, and a parser's message shows the body.
      throw new Error(`${method} ${path}: ${error.cause?.code ?? error.name}`);
    }
  };
};

/** What the till gets instead of the tokens. `held` tells the SDK that they are kept here. */
const withoutTokens = ({ expiration, ereceipt, account, store }) => {
  return { success: true, held: true, expiration, ereceipt, account, store };
};

const respond = ({ status, body, headers: from }) => {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  for (const name of PASSED_HEADERS) if (from?.has(name)) headers.set(name, from.get(name));
  return new Response(body && JSON.stringify(body), { status, headers });
};

const refusal = (status, code, headers = {}) => {
  const response = respond({ status, body: { code } });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
};

const preflight = (methods) => {
  const response = respond({ status: 204, body: null });
  response.headers.set("access-control-allow-methods", methods.join(", "));
  // The asterisk does not stand for Authorization, so both are named.
  response.headers.set("access-control-allow-headers", "*, Authorization");
  response.headers.set("access-control-max-age", "600");
  return response;
};

/**
 * Lets the pages of `origins` read the response; errors too, or the SDK sees no 401 but a broken connection. Another
 * page gets an answer that its browser does not show it. This replaces no authentication.
 */
const withCors = (response, origin, origins) => {
  if (origins.length === 0) return response;
  response.headers.set("vary", "Origin");
  if (!origins.includes(origin)) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", "Retry-After, X-Request-Id");
  return response;
};

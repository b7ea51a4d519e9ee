// Your own back end in place of the relay: it adds the client secret to the tills' calls, and keeps the tokens.
// Yours are `db`, and how you know which till calls. docs/back-end.md says what both have to do.

const INTEGRATION = "/v1/auth/integration";
const TOKEN = `${INTEGRATION}/token`;
const SERVICE_TIMEOUT_MS = 10_000;

/** Gives a function that answers the `Request` of a till with a `Response`. */
export function backEnd({ serviceUrl, clientId, clientSecret, db }) {
  /** Calls the service. The secret is added here, and nowhere else: log no URL of such a call. */
  async function callService(method, path, more) {
    const query = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...more });
    const response = await fetch(`${serviceUrl}${path}?${query}`, {
      method,
      redirect: "error", // it would take the secret elsewhere
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined, headers: response.headers };
  }

  async function create(till) {
    const answer = await callService("POST", INTEGRATION);
    // From now on, only this till may ask for it.
    if (answer.status === 200) await db.own(till, answer.body.integrationToken);
    return answer;
  }

  /** The service gives the tokens once. So one call at a time for each integration, and the tokens are kept first. */
  function pickUp(integrationToken) {
    return db.locked(integrationToken, async (row) => {
      if (row.tokens) return { status: 200, body: held(row.tokens) };
      const keys = { integration_token: integrationToken, pickup_id: row.pickupId };
      let answer = await callService("GET", TOKEN, keys);
      // The answer to an earlier call of ours was lost on its way: the service makes new tokens in place of those.
      if (answer.body?.pickup === "yours") answer = await callService("POST", `${TOKEN}/reissue`, keys);
      if (answer.status !== 200) return answer;
      // Before the till is answered: what is lost from here on can be asked for again.
      await row.keep(answer.body);
      return { ...answer, body: held(answer.body) };
    });
  }

  async function perform(method, path, integrationToken, till) {
    const methods = { [INTEGRATION]: ["POST", "GET", "DELETE"], [TOKEN]: ["GET"] }[path];
    if (!methods) return refusal(404, "not_found");
    if (!methods.includes(method)) return refusal(405, "method_not_allowed");
    if (method === "POST") return create(till);
    if (!(await db.owns(till, integrationToken))) return refusal(403, "invalid_integration");
    if (path === TOKEN) return pickUp(integrationToken);
    return callService(method, path, { integration_token: integrationToken }); // the status, or its end
  }

  return async (request, till) => {
    const { pathname, searchParams } = new URL(request.url);
    try {
      return respond(await perform(request.method, pathname, searchParams.get("integration_token"), till));
    } catch {
      // The service cannot be reached, or your storage failed: the till asks again. The error may hold the URL.
      return respond(refusal(502, "upstream_unreachable"));
    }
  };
}

/** What a till learns of tokens that are kept here. */
const held = ({ expiration, ereceipt, account }) => ({ success: true, held: true, expiration, ereceipt, account });

const refusal = (status, code) => ({ status, body: { success: false, code } });

function respond({ status, body, headers: received }) {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  for (const name of ["retry-after", "x-request-id"]) {
    if (received?.has(name)) headers.set(name, received.get(name));
  }
  return new Response(body && JSON.stringify(body), { status, headers });
}

// The service, as a vendor's back end calls it. The secret is added here and nowhere else.
import { bodyOf } from "./body.js";

// The SDK waits 30 seconds for the tokens. Two calls, the pick-up and a reissue, fit into that.
const TIMEOUT_MS = 10_000;
// Far above what the service answers: whoever else is on the way must not fill the memory.
const ANSWER_LIMIT = 1 << 20;
// A proxy on the way may name any time in `Retry-After`.
const LONGEST_REST_MS = 5 * 60_000;
const IS_THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Each call gives `{ status, body, headers }`, and throws an error that names the call and why it got no answer. */
export function upstreamOf({ serviceUrl, clientId, clientSecret }) {
  const { protocol, hostname, href } = new URL(serviceUrl); // throws at the start if it is no URL
  if (protocol !== "https:" && !IS_THIS_MACHINE.test(hostname))
    throw new TypeError("serviceUrl: https, because the secret goes there; http only to this machine");
  const base = href.replace(/\/$/, "");
  const keys = { client_id: clientId, client_secret: clientSecret };

  async function call(method, path, { query = "", ...init }) {
    let response;
    try {
      response = await fetch(`${base}${path}${query}`, {
        method,
        ...init,
        headers: { "user-agent": "pos-connect-server", ...init.headers },
        // The service never redirects. Whoever does must not be believed, least of all with tokens.
        redirect: "error",
        // Covers the body, too. Without it, a service that hangs would hold the lock for ever.
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const bytes = await bodyOf(response, ANSWER_LIMIT);
      if (bytes === null) throw new RangeError("too long");
      const text = (await bytes?.text()) ?? "";
      return { status: response.status, body: text ? JSON.parse(text) : null, headers: response.headers };
    } catch (error) {
      // Never the error itself, and never the URL: the query holds the secret, and a parser's message shows the body.
      throw failure(`${method} ${path}`, error.cause?.code ?? error.name, response);
    }
  }

  return {
    /** The operations of §4, with the vendor's keys in the query. */
    vendor: (method, path, parameters) =>
      call(method, path, { query: `?${new URLSearchParams({ ...keys, ...parameters })}` }),
    /** RFC 6749 and RFC 7009: a form. */
    form: (path, parameters) => call("POST", path, { body: new URLSearchParams({ ...keys, ...parameters }) }),
    /** With the merchant's access token. */
    merchant: (accessToken, { method, path, headers, body }) =>
      call(method, path, { headers: { ...headers, authorization: `Bearer ${accessToken}` }, body }),
  };
}

export const isBusy = (status) => status === 429 || status >= 500;

/** The error for a call without an answer to use, with how long the service wants to be left alone (`restMs`). */
export function failure(call, reason, response) {
  const restMs = (response && isBusy(response.status) && restOf(response.headers)) || 0;
  return Object.assign(new Error(`${call}: ${reason}`), { restMs });
}

/** How long `Retry-After` asks to wait; `undefined` if it does not say so. Of two, the first counts. */
export function restOf(headers) {
  const asked = headers.get("retry-after") ?? "";
  const [, seconds] = /^(\d+) *(,|$)/.exec(asked) ?? [];
  const wait = seconds ? 1000 * seconds : Date.parse(asked) - (Date.parse(headers.get("date")) || Date.now());
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_REST_MS);
}

/** A time as `Retry-After` has it. */
export const secondsOf = (restMs) => `${Math.max(Math.ceil(restMs / 1000), 1)}`;

// What the fake service answers.

/** What a script can say beside the codes of refusals. */
const OUTCOMES = ["answered", "accepted", "pending", "finished", "cancelled", "network", "timeout"];
/** The service's words for what the package has another code for. */
const WORDS = {
  invalid_request: "malformed_request",
  rate_limited: "slow_down",
  not_finished: "integration_pending",
  already_finished: "integration_finished",
  invalid_body: "invalid_member",
  too_large: "content_too_large",
  server_error: "unavailable",
};

export const response = (status, text, type, headers) =>
  new Response(text, { status, headers: { "content-type": type, ...headers } });
export const nothing = () => new Response(null, { status: 204 });
export const answer = (body, headers) =>
  response(200, JSON.stringify({ success: true, ...body }), "application/json", headers);

/** `PROBLEMS` has status and title of each word; the build takes them from protocol/src/. */
export function problem(code) {
  const word = WORDS[code] ?? code;
  const [status, title] = PROBLEMS[word];
  const body = { success: false, code: word, title, status };
  return response(status, JSON.stringify(body), "application/problem+json");
}

/** What a call gives that is not answered as usual. */
export function refused(outcome) {
  if (outcome instanceof Response) return outcome.clone();
  if (outcome === "network") throw new TypeError("Failed to fetch");
  return outcome === "timeout" ? new Promise(() => {}) : problem(outcome);
}

/** A misspelled outcome would look like a service that fails. */
export function checked(script) {
  const words = Object.values(script).flat();
  for (const word of words.filter((one) => typeof one === "string"))
    if (!OUTCOMES.includes(word) && !Object.hasOwn(PROBLEMS, WORDS[word] ?? word))
      throw new TypeError(`${word} is nothing that the service can answer.`);
  return script;
}

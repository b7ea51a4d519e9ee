export const backEnd = ({ serviceUrl, client_id, client_secret, db }) => async (request, till) => {
  const ask = (method, path, more) => // the secret is added here, and nowhere else
    fetch(`${serviceUrl}${path}?${new URLSearchParams({ client_id, client_secret, ...more })}`, { method, redirect: "error", signal: AbortSignal.timeout(10_000) })
      .then(async (answer) => [answer.status, JSON.parse((await answer.text()) || "null"), answer.headers]);
  const say = (status, body, from) => new Response(body && JSON.stringify(body), { status, headers: [["content-type", "application/json"], ["cache-control", "no-store"],
    ...["retry-after", "x-request-id"].flatMap((name) => (from?.get?.(name) ? [[name, from.get(name)]] : []))] });
  const { pathname, searchParams } = new URL(request.url), integration_token = searchParams.get("integration_token");
  if (!["/v1/auth/integration", "/v1/auth/integration/token"].includes(pathname)) return say(404, { code: "not_found" });
  if (request.method === "POST") return say(...(await db.own(till, await ask("POST", pathname)))); // stores whose it is
  if (!(await db.owns(till, integration_token))) return say(403, { code: "invalid_integration" });
  if (!pathname.endsWith("/token")) return say(...(await ask(request.method, pathname, { integration_token }))); // status, cancel
  return say(...(await db.locked(integration_token, async (row) => { // one at a time for each integration
    const keys = { integration_token, pickup_id: row.pickupId }; // random, stored before it is sent
    let [status, tokens, headers] = row.kept ?? (await ask("GET", pathname, keys));
    if (tokens.pickup === "yours") [status, tokens, headers] = await ask("POST", `${pathname}/reissue`, keys); // our first answer was lost
    if (status === 200) await row.keep([status, tokens]); // before it is answered
    const { expiration, ereceipt, account } = tokens;
    return [status, status === 200 ? { success: true, held: true, expiration, ereceipt, account } : tokens, headers];
  })));
};

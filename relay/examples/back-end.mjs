import { createServer } from "node:http";
import { db, tillOf } from "./yours.mjs"; // your storage, and how your tills prove themselves
const { SERVICE_URL, CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = process.env;
const flights = new Map(), no = (status, code) => ({ status, body: { success: false, code } });
async function ask(method, path, more) { // the secret is added here and nowhere else
  const url = `${SERVICE_URL}${path}?${new URLSearchParams({ client_id, client_secret, ...more })}`;
  const answer = await fetch(url, { method, redirect: "error", signal: AbortSignal.timeout(10_000) });
  return { status: answer.status, body: answer.status === 204 ? {} : await answer.json() };
}
async function pickUp(integration_token) {
  const keys = { integration_token, pickup_id: await db.pickupId(integration_token) }; // random, stored before it is sent
  let got = await ask("GET", "/v1/auth/integration/token", keys);
  if (got.body.pickup === "yours") got = await ask("POST", "/v1/auth/integration/token/reissue", keys); // our first answer was lost
  if (got.status === 200) await db.keep(integration_token, got.body); // stored before it is answered
  return got;
}
async function answer(till, call, integration_token) {
  if (!till) return no(401, "unauthorized");
  if (call === "POST /v1/auth/integration") return db.own(till, await ask("POST", "/v1/auth/integration"));
  if (!/^((GET|DELETE) \/v1\/auth\/integration|GET \/v1\/auth\/integration\/token)$/.test(call)) return no(404, "not_found");
  if (!(await db.owns(till, integration_token))) return no(403, "invalid_integration");
  if (!call.endsWith("/token")) return ask(...call.split(" "), { integration_token });
  const kept = await db.kept(integration_token);
  if (!kept && !flights.has(integration_token)) flights.set(integration_token, pickUp(integration_token).finally(() => flights.delete(integration_token)));
  const { status, body } = kept ? { status: 200, body: kept } : await flights.get(integration_token);
  const { expiration, ereceipt, account } = body;
  return status === 200 ? { status, body: { success: true, held: true, expiration, ereceipt, account } } : { status, body };
}
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://x");
  const done = tillOf(request).then((till) => answer(till, `${request.method} ${pathname}`, searchParams.get("integration_token")));
  const { status, body } = await done.catch(() => no(502, "upstream_unavailable"));
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(status === 204 ? "" : JSON.stringify(body));
}).listen(8090, "127.0.0.1");

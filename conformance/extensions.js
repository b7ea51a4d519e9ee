// What pos-connect-service adds where the specification is silent. The checks write one order and one customer, and
// delete the customer; no message is sent.
import { randomBytes, randomUUID } from "node:crypto";
import { given, INTEGRATION, kind, sleep, TOKEN, word } from "./client.js";
import { accepted, expect, isAccepted, NotRun } from "./kit.js";

const REISSUE = `${TOKEN}/reissue`;
const ORDERS = "/v1/orders";
const WRONG = given("conformance-made-up", "made up");
/** To be one time within the interval between two status calls. */
const MOST_CALLS = 10;
const FOREIGN = given("https://conformance.invalid", "a page's that is not registered");

/** A call that must end with this status, and this code, if there is one. */
async function answers(kit, status, code, ...call) {
  const answer = await kit.call(...call);
  const got = `${answer.status || answer.record.came} ${word(answer.body?.code)}`;
  expect(answer.status === status, `${got} in the place of ${status}`);
  expect(code === undefined || answer.body?.code === code, `${got} in the place of ${status} ${code}`);
  if (status === 200) accepted(answer);
  return answer;
}

/** A check of what a changed call about a pending integration is answered. */
const refusal = (status, code, method, path, change) => async (kit) => {
  const query = { ...kit.keys(await kit.integration("pending, for refusals")), ...change };
  const kept = Object.fromEntries(Object.entries(query).filter(([, value]) => value));
  await answers(kit, status, code, method, path, { query: kept });
};

const about = (status, code, change) => refusal(status, code, "GET", INTEGRATION, change);

async function repeated(kit) {
  const keys = kit.keys(await kit.integration("pending, for refusals"));
  const twice = given([keys.client_id.value, keys.client_id.value], "right, twice");
  await answers(kit, 400, "repeated_parameter", "GET", INTEGRATION, { query: { ...keys, client_id: twice } });
}

/** The answer to an integration token that nobody knows. */
const askWithUnknownToken = async (kit, integration_token = WRONG) =>
  answers(kit, 403, "invalid_integration", "GET", INTEGRATION, { query: { ...kit.keys(), integration_token } });

async function problem(kit) {
  const { headers, body, record } = await askWithUnknownToken(kit);
  expect(record.type === "application/problem+json", `the Content-Type is ${record.type}`);
  expect(body.success === false && body.status === 403 && body.title, "success, status or title is not as it must be");
  expect(body.requestId && body.requestId === headers.get("x-request-id"), "requestId is not that of X-Request-Id");
}

async function sameBytes(kit) {
  const { token } = await kit.integration("pending, for refusals");
  const all = [];
  for (const unknown of [WRONG, given(token.slice(0, -1), "one character short"), given("%00 é", "of no form")]) {
    all.push(await askWithUnknownToken(kit, unknown));
  }
  const [first, ...others] = all.map(({ text, body }) => text.replace(body.requestId, ""));
  expect(others.every((other) => other === first), "the answers differ");
}

async function headers(kit) {
  const query = kit.keys();
  for (const answer of [await kit.call("POST", INTEGRATION, { query }), await askWithUnknownToken(kit)]) {
    const caching = answer.headers.get("cache-control") ?? "";
    expect(caching.includes("no-store"), "Cache-Control is not no-store");
    expect(answer.headers.get("x-request-id"), "X-Request-Id is missing");
  }
}

async function created(kit) {
  const { interval, expiresIn, code, pickup } = await kit.created("pending");
  expect(interval >= 1 && expiresIn > 0, "interval and expiresIn are not numbers of seconds");
  expect(/^\d{4}$/.test(code), `code is ${kind(code)}, not four digits`);
  expect(pickup === true, `pickup is ${word(pickup)}, not true`);
}

/** Calls again until one comes within the interval, as the first does unless the machine is slow. */
async function slowDown(kit) {
  const query = kit.keys(await kit.integration("asked too often"));
  const { interval } = await kit.created("asked too often");
  const ask = () => kit.call("GET", INTEGRATION, { query, isPatient: false });
  let last = Date.now();
  accepted(await ask());
  for (let time = 0; time < MOST_CALLS; time += 1) {
    const sent = Date.now();
    const answer = await ask();
    if (answer.status === 429) return saysSlowDown(answer);
    accepted(answer);
    const seconds = (Date.now() - last) / 1000;
    expect(seconds >= interval, `a call is answered ${seconds} s after the last; the interval is ${interval} s`);
    last = sent;
  }
  throw new NotRun(`none of ${MOST_CALLS} calls came within the interval`);
}

function saysSlowDown({ headers, body }) {
  expect(body?.code === "slow_down", `the code is ${word(body?.code)}, not slow_down`);
  expect(headers.get("retry-after") >= 1, "Retry-After is missing");
}

async function ended(kit, integration, reason) {
  const body = await kit.status(integration);
  expect(body.status === "cancelled", `status is ${body.status}, not cancelled`);
  expect(body.reason === reason, `reason is ${word(body.reason)}, not ${reason}`);
}

const tokens = (kit, status, code, integration) =>
  answers(kit, status, code, "GET", TOKEN, { query: kit.keys(integration) });

async function cancelledByMerchant(kit) {
  const integration = await kit.integration("cancelled by the merchant");
  await kit.decide(integration, { decision: "cancel" });
  await ended(kit, integration, "merchant");
  await tokens(kit, 409, "integration_cancelled", integration);
}

async function cancelledByTill(kit) {
  const integration = await kit.integration("cancelled by the till");
  const query = kit.keys(integration);
  for (let time = 0; time < 2; time += 1) await answers(kit, 204, undefined, "DELETE", INTEGRATION, { query });
  await ended(kit, integration, "till");
}

const notCancelled = async (kit) => {
  const query = kit.keys(await kit.finished("finished"));
  await answers(kit, 409, "integration_finished", "DELETE", INTEGRATION, { query });
};

async function expired(kit) {
  const { patience } = kit.settings;
  const integration = await kit.integration("pending");
  for (let waited = 0; ; ) {
    const { status, expiresIn } = await kit.status(integration);
    if (status !== "pending") break;
    expect(expiresIn >= 0, `expiresIn is ${kind(expiresIn)}, not a number of seconds`);
    const seconds = Math.max(Math.min(expiresIn, 60), 1);
    if (waited + expiresIn > patience) throw new NotRun(`${expiresIn} s are left, and --patience is shorter`);
    await sleep(seconds);
    waited += seconds;
  }
  await ended(kit, integration, "expired");
  await tokens(kit, 409, "integration_expired", integration);
}

/** The tokens of the integration without e-receipts: those of the reissue, until they are refreshed. */
const secondTokens = (kit) =>
  kit.once("the second token set", async () => {
    const integration = await kit.finished("without e-receipts", { ereceipts: false });
    const pickup_id = given(randomBytes(24).toString("base64url"), "its own");
    const query = { ...kit.keys(integration), pickup_id };
    return { query, tokens: accepted(await kit.call("GET", TOKEN, { query })) };
  });

async function pickupOwner(kit) {
  const { query } = await secondTokens(kit);
  const { pickup_id, ...silent } = query;
  const another = given(randomBytes(24).toString("base64url"), "another");
  for (const [asked, owner] of [[query, "yours"], [{ ...silent, pickup_id: another }, "other"], [silent, undefined]]) {
    const { body } = await answers(kit, 410, "tokens_already_retrieved", "GET", TOKEN, { query: asked });
    expect(body.pickup === owner, `pickup is ${word(body.pickup)}, not ${owner}`);
  }
  await answers(kit, 403, "reissue_other_pickup", "POST", REISSUE, { query: { ...silent, pickup_id: another } });
}

async function reissued(kit) {
  const set = await secondTokens(kit);
  const old = set.tokens;
  set.tokens = accepted(await kit.call("POST", REISSUE, { query: set.query }));
  expect(set.tokens.accessToken !== old.accessToken, "the access token is the old one");
  await account(kit, 401, "invalid_token", old);
  await account(kit, 200, undefined, set.tokens);
  await answers(kit, 409, "reissue_used", "POST", REISSUE, { query: set.query });
}

async function chosen(kit) {
  const [yes, no] = [(await kit.race("finished")).tokens.ereceipt, (await secondTokens(kit)).tokens.ereceipt];
  expect(yes === true && no === false, `ereceipt is ${word(yes)} where it was agreed to, and ${word(no)} where not`);
}

/** What proves a token set. */
const bearer = ({ accessToken }) => ({ authorization: given(`Bearer ${accessToken}`, "Bearer, an access token") });
const account = (kit, status, code, set) => answers(kit, status, code, "GET", "/v1/account", { headers: bearer(set) });

async function access(kit) {
  const { body } = await account(kit, 200, undefined, (await kit.race("finished")).tokens);
  expect(body.account?.id && body.store?.id, "account or store is missing");
  expect(body.ereceipt === true, `ereceipt is ${word(body.ereceipt)}, not true`);
  const refused = await account(kit, 401, "invalid_token", { accessToken: "made-up" });
  expect(/^Bearer/.test(refused.headers.get("www-authenticate")), "WWW-Authenticate is missing");
  await answers(kit, 401, "missing_token", "GET", "/v1/account");
}

const exchange = (kit, token) => {
  const { client_id, client_secret } = kit.keys();
  const grant_type = given("refresh_token", "refresh_token");
  return { form: { client_id, client_secret, grant_type, refresh_token: token } };
};

async function refreshed(kit) {
  const set = await secondTokens(kit);
  const old = set.tokens;
  const token = given(old.refreshToken, "the last one");
  const { body } = await answers(kit, 200, undefined, "POST", "/v1/auth/token", exchange(kit, token));
  expect(body.token_type === "Bearer" && body.expires_in > 0, "token_type or expires_in is not as it must be");
  const [accessToken, refreshToken] = [body.access_token, body.refresh_token];
  expect(refreshToken && refreshToken !== old.refreshToken, "refresh_token is missing, or the old one");
  set.tokens = { accessToken, refreshToken };
  await account(kit, 401, "invalid_token", old);
  await account(kit, 200, undefined, set.tokens);
  const { body: refused } = await answers(kit, 400, "invalid_grant", "POST", "/v1/auth/token", exchange(kit, WRONG));
  expect(refused.error === "invalid_grant", "error is not the word of RFC 6749");
}

async function revoked(kit) {
  const { tokens: set } = await secondTokens(kit);
  const { client_id, client_secret } = kit.keys();
  for (const token of [given(set.refreshToken, "the last refresh token"), WRONG]) {
    await answers(kit, 200, undefined, "POST", "/v1/auth/revoke", { form: { client_id, client_secret, token } });
  }
  await account(kit, 401, "invalid_token", set);
  const token = given(set.refreshToken, "the revoked one");
  await answers(kit, 400, "invalid_grant", "POST", "/v1/auth/token", exchange(kit, token));
}

const allowedOrigin = ({ headers }) => headers.get("access-control-allow-origin");

async function preflight(kit) {
  const asked = { origin: FOREIGN, "access-control-request-method": given("POST", "POST") };
  const answer = await kit.call("OPTIONS", INTEGRATION, { headers: asked });
  expect(isAccepted(answer) && allowedOrigin(answer) === "*", "the preflight is not answered with *");
  expect(/POST/.test(answer.headers.get("access-control-allow-methods")), "it does not allow POST");
}

async function readable(kit) {
  const query = { ...kit.keys(), client_id: WRONG };
  const headers = { origin: FOREIGN };
  const answer = await answers(kit, 400, "invalid_client", "POST", INTEGRATION, { query, headers });
  expect(["*", FOREIGN.value].includes(allowedOrigin(answer)), "a page cannot read the error");
}

async function registered(kit) {
  if (!kit.settings.origin) throw new NotRun("no origin was given (--origin)");
  const origin = given(kit.settings.origin, "the registered one");
  const answer = await answers(kit, 200, undefined, "POST", INTEGRATION, { query: kit.keys(), headers: { origin } });
  expect(allowedOrigin(answer) === kit.settings.origin, "Access-Control-Allow-Origin is not that origin");
}

const foreign = (kit) =>
  answers(kit, 403, "origin_not_allowed", "POST", INTEGRATION, { query: kit.keys(), headers: { origin: FOREIGN } });

async function profile(kit) {
  const headers = bearer((await kit.race("finished")).tokens);
  const { body } = await answers(kit, 200, undefined, "GET", "/v1/store", { headers });
  const unchanged = { headers, json: given({}, "an empty patch") };
  const patched = await answers(kit, 200, undefined, "PATCH", "/v1/store", unchanged);
  const isSame = JSON.stringify(patched.body.profile) === JSON.stringify(body.profile);
  expect(body.profile && isSame, "the profile is missing, or an empty patch changes it");
}

async function customers(kit) {
  const headers = bearer((await kit.race("finished")).tokens);
  const externalId = `conformance-${randomUUID()}`;
  const changes = [{ externalId, name: "Conformance" }, { externalId }, { externalId, deleted: true }, { name: "" }];
  const json = given({ customers: changes }, "created, updated, deleted, wrong");
  const { body } = await answers(kit, 200, undefined, "POST", "/v1/customers", { headers, json });
  const results = body.results?.map(({ result }) => word(result)).join(", ");
  expect(results === "created, updated, deleted, refused", `the results are ${results}`);
}

const order = (externalId, total = 1191) => {
  const lines = [{ name: "Conformance", quantity: 1, amount: 1191 }];
  return { externalId, time: new Date().toISOString(), currency: "ILS", total, lines };
};

const orderPath = (externalId) => given(`${ORDERS}/${externalId}`, `${ORDERS}/{externalId}`);

async function orders(kit) {
  const proof = bearer((await kit.race("finished")).tokens);
  const sale = order(`conformance-${randomUUID()}`);
  const send = (status, code, json, key) => {
    const headers = { ...proof, "idempotency-key": given(key, "a key") };
    return answers(kit, status, code, "POST", ORDERS, { headers, json });
  };
  const [key, other] = [randomUUID(), randomUUID()];
  const first = await send(200, undefined, given(sale, "an order"), key);
  const again = await send(200, undefined, given(sale, "the same"), key);
  expect(again.text === first.text, "the same call gets another answer");
  expect(again.headers.get("idempotent-replayed") === "true", "Idempotent-Replayed is missing");
  const changed = given({ ...sale, total: 7 }, "another sale");
  await send(422, "idempotency_key_reused", changed, key);
  await send(409, "order_exists", changed, other);
  await send(422, undefined, given({ ...sale, total: "7" }, "a total that is a text"), randomUUID());
  const headers = proof;
  const { body } = await answers(kit, 200, undefined, "GET", orderPath(sale.externalId), { headers });
  expect(body.order?.total === sale.total, "the order is not the one that was sent");
  await answers(kit, 404, "order_not_found", "GET", orderPath(randomUUID()), { headers });
}

async function notEnabled(kit) {
  // A number that no shopper has (Ofcom), should it be accepted.
  const ereceipt = { phone: "+447700900123", consent: { id: "conformance", locale: "en" } };
  const json = given({ ...order(`conformance-${randomUUID()}`), ereceipt }, "an order with an e-receipt");
  const headers = bearer((await secondTokens(kit)).tokens);
  await answers(kit, 403, "ereceipt_not_enabled", "POST", ORDERS, { headers, json });
}

const ROWS = [
  ["E1-1", "Errors are problem+json with success, code, title, status and requestId.", problem],
  ["E1-2", "A missing parameter is 400.", about(400, "missing_parameter", { client_secret: null })],
  ["E1-3", "A parameter that comes twice is 400.", repeated],
  ["E1-4", "An unknown client_id is 400, too.", about(400, "invalid_client", { client_id: WRONG })],
  ["E1-5", "Unknown integration tokens of every form get the same bytes.", sameBytes],
  ["E1-6", "An unknown path is 404.", refusal(404, "not_found", "GET", "/v1/conformance")],
  ["E1-7", "Another method is 405.", refusal(405, "method_not_allowed", "PUT", INTEGRATION)],
  ["E1-8", "HEAD takes no tokens: 405.", refusal(405, undefined, "HEAD", TOKEN)],
  ["E1-9", "Answers with and without success are stored by no cache, and have a request ID.", headers],
  ["E2-1", "The create call gives interval, expiresIn, code and pickup.", created],
  ["E2-2", "The first status call is answered; one that comes too soon is 429.", slowDown],
  ["E3-1", "Token call while pending: 409.", refusal(409, "integration_pending", "GET", TOKEN)],
  ["E3-2", "The merchant cancels in the page: `cancelled`, and the token call is 409.", cancelledByMerchant],
  ["E3-3", "DELETE cancels, also twice.", cancelledByTill],
  ["E3-4", "A finished integration is not cancelled: 409.", notCancelled],
  ["E3-5", "An integration that nobody decides expires.", expired],
  ["E4-1", "ereceipt is what the merchant chose.", chosen],
  ["E4-2", "410 tells whose the pick-up was.", pickupOwner],
  ["E4-3", "A lost answer is cured by a reissue, until the tokens are used.", reissued],
  ["E5-1", "GET /v1/account says whose the access token is.", access],
  ["E5-2", "A refresh token is exchanged for a new pair; the old access token ends.", refreshed],
  ["E6-1", "Preflights are answered for every origin.", preflight],
  ["E6-2", "Pages of every origin can read errors.", readable],
  ["E6-3", "A registered origin may call, and reads the answer.", registered],
  ["E6-4", "Another origin may not: 403.", foreign],
  ["E7-1", "The store's profile is read, and patched.", profile],
  ["E7-2", "Customers: each has a result.", customers],
  ["E7-3", "An order that comes twice is one order.", orders],
  ["E7-4", "No e-receipt where the merchant did not agree: 403.", notEnabled],
  ["E8-1", "Revocation ends both tokens.", revoked],
];

export const EXTENSIONS = ROWS.map(([id, says, check]) => ({ id, says, check }));

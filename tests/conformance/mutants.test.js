// @engines chromium: no browser is opened
// A reference passes the kit, and services that each break one sentence of the specification are found by its check.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RACERS } from "../../conformance/kit.js";
import { html, text } from "../../conformance/report.js";
import { PROFILES, run } from "../../conformance/run.js";
import { OTHER, startReference, VENDOR } from "./reference.js";

const CREATE = "POST /v1/auth/integration";
const STATUS = "GET /v1/auth/integration";
const TOKEN = "GET /v1/auth/integration/token";
const TOKENS = { success: true, accessToken: "a", refreshToken: "r", expiration: "2100-01-01", ereceipt: true };
const SECRET = { client_secret: VENDOR.clientSecret };
const AS_VENDOR = { client_id: VENDOR.clientId, ...SECRET };

const isCall = ({ method, path }, wanted) => `${method} ${path}` === wanted;

/** Changes what comes of one call. */
const answering = (wanted, change) => async (call, next) => {
  const response = await next(call);
  return isCall(call, wanted) ? change(response, call) : response;
};

/** Another status in the place of one. */
const restating = (wanted, from, to, isMeant = () => true) =>
  answering(wanted, (answer, { query }) =>
    answer.status === from && isMeant(query) ? Response.json({ success: false }, { status: to }) : answer,
  );

/** Another body in the place of a successful one. */
const rewriting = (wanted, change) =>
  answering(wanted, async (answer, call) => (answer.ok ? Response.json(change(await answer.json(), call)) : answer));

/** Answers as if these parameters were right. */
const believing = (wanted, right, isMeant = () => true) => (call, next) =>
  next(isCall(call, wanted) && isMeant(call.query) ? { ...call, query: { ...call.query, ...right } } : call);

/** Looks, then takes: a second call that comes in between gets the tokens, too. */
function racy() {
  let kept, release;
  return answering(TOKEN, (answer) => {
    if (answer.ok) {
      kept = answer.clone();
      return new Promise((resolve) => (release = () => resolve(answer)));
    }
    if (answer.status !== 410 || !release) return answer;
    release();
    release = undefined;
    return kept;
  });
}

/** Forgets after a while that it gave the tokens. */
function forgetful() {
  let refusals = 0;
  const isForgotten = ({ status }) => status === 410 && (refusals += 1) >= RACERS;
  return answering(TOKEN, (answer) => (isForgotten(answer) ? Response.json(TOKENS) : answer));
}

/** Says "pending" again of what was finished. */
function unsteady() {
  const seen = new Set();
  return rewriting(STATUS, (body, { query: { integration_token: token } }) => {
    if (body.status !== "finished" || seen.has(token)) return { ...body, status: "pending" };
    seen.add(token);
    return body;
  });
}

/** What one merchant finishes is finished for all. */
function mixed() {
  let isOver = false;
  return rewriting(STATUS, (body) => {
    isOver ||= body.status === "finished";
    return isOver ? { ...body, status: "finished" } : body;
  });
}

function unoriginal() {
  let first;
  return rewriting(CREATE, (body) => (first ??= body));
}

const notFramed = (page) => {
  page.headers.set("x-frame-options", "DENY");
  return page;
};
const renamed = ({ integrationToken: token, ...body }) => ({ ...body, token });
const waiting = ({ status, ...body }) => ({ ...body, status: status === "pending" ? "waiting" : status });
const early = (answer) => (answer.status === 409 ? Response.json(TOKENS) : answer);
const asForm = async (answer) => (answer.ok ? new Response(new URLSearchParams(await answer.json())) : answer);
const isProved = ({ client_secret }) => client_secret === VENDOR.clientSecret;
const isOther = ({ client_id }) => client_id === OTHER.clientId;

const renamedDate = ({ expiration, ...body }) => ({ ...body, expirationDate: "2001-01-01T00:00:00Z" });
const unsuccessful = ({ success, ...body }) => body;
const never = ({ status, ...body }) => ({ ...body, status: status === "finished" ? "cancelled" : status });
const RIGHT_ID = { client_id: VENDOR.clientId };
const hasNoId = ({ client_id }) => client_id === undefined;
const hasWrongId = ({ client_id }) => ![undefined, VENDOR.clientId, OTHER.clientId].includes(client_id);
/** Answers without an integration token as it answers with one. */
const guessing = (wanted, body) =>
  answering(wanted, (answer, { query }) => ("integration_token" in query ? answer : Response.json(body)));

/** The checks that fail, and the mutant: more than one where another check meets the same fault. */
const MUTANTS = {
  "the path has no /v1": ["4.1-1", (call, next) => next({ ...call, path: call.path.replace("/v1", "") })],
  "create: an unknown client_id is 403": ["4.1-6", restating(CREATE, 400, 403)],
  "create: a wrong secret is 401": ["4.1-7", restating(CREATE, 403, 401)],
  "create: any secret does": ["4.1-5 4.1-7", believing(CREATE, SECRET)],
  "create: no client_id is needed": ["4.1-4", believing(CREATE, RIGHT_ID, hasNoId)],
  "create: no success": ["2.5-2 4.1-2", rewriting(CREATE, unsuccessful)],
  "create: the answer is a form": ["4-2 4.1-1", answering(CREATE, asForm)],
  "create: the token has another name": ["4.1-3", rewriting(CREATE, renamed)],
  "create: all integrations have one token": ["2.1-1 4.4-1 4.4-7 5-3", unoriginal()],
  "status: an unknown token is 404": ["4.2-6", restating(STATUS, 403, 404, isProved)],
  "status: any secret does": ["4.2-4 4.2-7", believing(STATUS, SECRET)],
  "status: any client_id does": ["4.2-8", believing(STATUS, RIGHT_ID, hasWrongId)],
  "status: no client_id is needed": ["4.2-3", believing(STATUS, RIGHT_ID, hasNoId)],
  "status: no token is needed": ["4.2-5", guessing(STATUS, { success: true, status: "pending" })],
  "status: no success": ["2.5-2 4.2-1", rewriting(STATUS, unsuccessful)],
  "status: never finished": ["4.3-3", rewriting(STATUS, never)],
  "status: the state has a fourth word": ["4.2-2 5-3", rewriting(STATUS, waiting)],
  "status: finished is left": ["4.3-4", unsteady()],
  "status: one merchant finishes for all": ["5-3", mixed()],
  "status: another vendor may ask": ["5-2", believing(STATUS, AS_VENDOR, isOther)],
  "frame: the page forbids it": ["4.3-1", answering("GET /connect", notFramed)],
  "token: given while pending": ["4.4-1 5-3", answering(TOKEN, early)],
  "token: an unknown token is 404": ["4.4-5", restating(TOKEN, 403, 404, isProved)],
  "token: given without a secret": ["4.4-3 4.4-7", believing(TOKEN, SECRET)],
  "token: given without a client_id": ["4.4-2 4.4-7", believing(TOKEN, RIGHT_ID, hasNoId)],
  "token: given to any client_id": ["4.4-6 4.4-7", believing(TOKEN, RIGHT_ID, hasWrongId)],
  "token: given without a token": ["4.4-4", guessing(TOKEN, TOKENS)],
  "token: given twice in a race": ["4.4-7", racy()],
  "token: given again later": ["4.4-13", forgetful()],
  "token: 403 in the place of 410": ["4.4-13", restating(TOKEN, 410, 403)],
  "token: no success": ["2.5-2 4.4-8", rewriting(TOKEN, unsuccessful)],
  "token: no access token": ["4.4-9", rewriting(TOKEN, ({ accessToken, ...body }) => body)],
  "token: no refresh token": ["4.4-10", rewriting(TOKEN, ({ refreshToken, ...body }) => body)],
  "token: expired": ["4.4-11", rewriting(TOKEN, (body) => ({ ...body, expiration: "2001-01-01T00:00:00Z" }))],
  "token: expired, by the other name": ["4.4-11", rewriting(TOKEN, renamedDate)],
  "token: ereceipt is a text": ["4.4-12", rewriting(TOKEN, (body) => ({ ...body, ereceipt: "true" }))],
};

/** They have no mutant: the reference has little of what the extensions look at. */
const UNSEEN = [
  ..."E1-1 E1-2 E1-3 E1-4 E1-5 E1-6 E1-7 E1-8 E1-9 E2-1 E2-2 E3-1 E3-2 E3-3 E3-4 E3-5 E4-1 E4-2 E4-3".split(" "),
  ..."E5-1 E5-2 E6-1 E6-2 E6-3 E6-4 E7-1 E7-2 E7-3 E7-4 E8-1".split(" "),
];

async function tested(mutant, vendor) {
  const reference = await startReference(mutant, vendor);
  try {
    return await run(reference.settings);
  } finally {
    reference.stop();
  }
}

function failed({ rows }) {
  return rows.filter(({ verdict, exchanges }) => verdict === "failed" && exchanges).map(({ id }) => id);
}

test("the reference passes, and every sentence that can be tested was", async () => {
  const report = await tested();
  const others = report.rows.filter(({ verdict }) => !["passed", "not testable"].includes(verdict));
  assert.deepEqual(others, []);
  const ids = report.rows.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

describe("mutants", { concurrency: 4 }, () => {
  for (const [name, [checks, mutant]] of Object.entries(MUTANTS)) {
    test(name, async () => {
      const report = await tested(mutant);
      assert.deepEqual(failed(report), checks.split(" "), text(report));
    });
  }
});

test("every check has a mutant, or is known to have none", () => {
  const seen = new Set(Object.values(MUTANTS).flatMap(([checks]) => checks.split(" ")));
  const checks = PROFILES.extensions.filter(({ check }) => check).map(({ id }) => id);
  assert.deepEqual(checks.filter((id) => !seen.has(id)), UNSEEN);
});

test("no form of the report has a secret or a token", async () => {
  // The secret has letters alone, as words that a report shows; one token comes before the answer that names it.
  const [clientSecret, early] = ["SecretOfLetters", "EarlyAccessToken"];
  const report = await tested(
    async (call, next) => {
      const answer = await next(call);
      if (call.path === "/connect") return answer;
      // As careless as a service can be.
      const { client_secret: secret = "none", ...query } = call.query;
      const encoded = Buffer.from(secret).toString("base64url");
      const echoes = { [secret]: 1, [encoded]: 1, code: secret, reason: early, parameter: encoded, result: query };
      const { accessToken, ...rest } = await answer.json();
      const body = { ...rest, ...(accessToken && { accessToken: early }), ...echoes, error: query.integration_token };
      const headers = { "content-type": `${secret}/json` };
      return new Response(JSON.stringify(body), { status: answer.status, headers });
    },
    { clientId: VENDOR.clientId, clientSecret },
  );
  const careless = [clientSecret, early, Buffer.from(clientSecret).toString("base64url")].join("|");
  for (const shown of [JSON.stringify(report), text(report), html(report)]) {
    assert.doesNotMatch(shown, /fake-integration-\d|fake-access|fake-refresh/);
    assert.doesNotMatch(shown, new RegExp(careless, "i"));
    // Nor a secret that is not quite right.
    assert.doesNotMatch(shown, /SecretO|OfLetter/i);
    assert.match(shown, /4\.4-13/);
  }
  assert.match(JSON.stringify(report), /another type/);
});

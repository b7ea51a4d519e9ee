// The specification, sentence by sentence: what looks at each, or why nobody can test it from outside.
import { INTEGRATION, kind, TOKEN, word } from "./client.js";
import { accepted, expect, isAccepted, misses, NotRun } from "./kit.js";

/** The checks that look at the sentence. */
const see = (...by) => ({ by });
/** Nobody can test it from outside. */
const because = (reason) => ({ because: reason });
const POS = because("the POS does this");
const OPEN = because("the specification leaves it open");
const KEYS = ["client_id", "client_secret", "integration_token"];

/** The vendor's keys, and those of the integration that the call is about. */
const keysFor = {
  create: async (kit) => kit.keys(),
  status: async (kit) => kit.keys(await kit.integration("pending")),
  token: async (kit) => kit.keys(await kit.finished("finished")),
};
const callOf = { create: ["POST", INTEGRATION], status: ["GET", INTEGRATION], token: ["GET", TOKEN] };

/** A check that a call is refused without this parameter. */
const without = (operation, name) => async (kit) => {
  const { [name]: _, ...query } = await keysFor[operation](kit);
  await kit.refused(...callOf[operation], query);
};

/** A check that a call is refused with values of this parameter that are not quite right. */
const incorrect = (operation, name, statuses) => async (kit) => {
  const query = await keysFor[operation](kit);
  // A shorter ID may be another vendor's.
  for (const miss of misses(query[name]).slice(0, name === "client_id" ? 2 : 3)) {
    await kit.refused(...callOf[operation], { ...query, [name]: miss }, statuses);
  }
};

const required = (section, first, operation, names) =>
  names.map((name, at) => [`${section}-${first + at}`, `${name}: required.`, without(operation, name)]);

/** A check of a member of the body that has the tokens. */
const tokenMember = (check) => async (kit) => check((await kit.race("finished")).tokens, kit);

const isText = (name) => (tokens) => {
  const isThere = typeof tokens[name] === "string" && tokens[name] !== "";
  expect(isThere, `${name} is ${kind(tokens[name])}, not a text`);
};

const succeeded = async ({ success }) => expect(success === true, `success is ${word(success)}, not true`);

const ereceipt = ({ ereceipt: sent }) => expect(typeof sent === "boolean", `ereceipt is ${kind(sent)}, not a boolean`);

const firstStatus = async (kit) => {
  const query = kit.keys(await kit.integration("pending"));
  return kit.once("the first status", async () => accepted(await kit.call("GET", INTEGRATION, { query })));
};

/** Milliseconds since 1970 of what may be a date. */
function dated(value) {
  const number = typeof value === "number" || /^\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isNaN(number)) return Date.parse(value);
  return number < 1e11 ? number * 1000 : number;
}

function expiration({ expiration: sent, expirationDate }, kit) {
  const isRenamed = sent === undefined && expirationDate !== undefined;
  const name = isRenamed ? "expirationDate" : "expiration";
  const date = isRenamed ? expirationDate : sent;
  const isThere = typeof date === "number" || (typeof date === "string" && date !== "");
  expect(isThere, `${name} is ${kind(date)}, not a date`);
  const time = dated(date);
  if (Number.isNaN(time)) kit.warn(`${name} is a text that this program cannot read as a date`);
  else expect(time > Date.now(), `${name} is in the past`);
  if (!isRenamed) return;
  kit.warn("§2.2 calls the member `expirationDate`, and so does the service; §4.4 calls it `expiration`");
}

/** Whether another site's page may show the connect page in a frame. */
function frames({ headers }, kit) {
  const old = headers.get("x-frame-options");
  const policy = headers.get("content-security-policy") ?? "";
  const ancestors = /frame-ancestors([^;,]*)/i.exec(policy)?.[1].trim().split(/\s+/);
  expect(ancestors || !old, "X-Frame-Options forbids the frame");
  if (!ancestors || ancestors.some((source) => ["*", "https:", kit.settings.origin].includes(source))) return;
  const isNobody = ancestors.every((source) => ["", "'none'", "'self'"].includes(source));
  expect(!isNobody, "frame-ancestors forbids the frame");
  if (!kit.settings.origin) return kit.warn("frame-ancestors names origins; give a till's with --origin");
  kit.warn("frame-ancestors does not name the origin that was given, as it is written");
}

/** What every answer of §4 must be, and how many there were; what an error must be, is for the reviewer. */
function everyAnswer(kit, isSo, wrong) {
  const hasBody = ({ sent, status }) => status && status !== 204 && !/^(HEAD|OPTIONS)/.test(sent);
  const answers = kit.exchanges.filter((record) => record.sent.includes(INTEGRATION) && hasBody(record));
  const bad = answers.filter((record) => !isSo(record));
  const successes = bad.filter(isAccepted).length;
  expect(successes === 0, `${successes} successful answers ${wrong}`);
  if (bad.length > 0) kit.warn(`${bad.length} errors ${wrong}; §7 leaves the shape of errors open`);
  return `of ${answers.length} answers`;
}

const isObject = ({ came }) => typeof came === "object";

async function success(kit) {
  const isRight = ({ status, came }) => came.success === true || (status >= 400 && came.success === false);
  return everyAnswer(kit, (record) => !isObject(record) || isRight(record), "carry no such `success`");
}

async function json(kit) {
  const all = everyAnswer(kit, isObject, "are no JSON object");
  const others = kit.exchanges.filter((record) => isObject(record) && !/[/+]json$/.test(record.type));
  if (others.length > 0) kit.warn(`${others.length} answers are JSON of another Content-Type`);
  return all;
}

async function distinct(kit) {
  const tokens = [await kit.integration("pending"), await kit.integration("another")].map(({ token }) => token);
  expect(new Set(tokens).size === tokens.length, "two integrations have the same token");
}

async function knownStatus(kit) {
  const { status } = await firstStatus(kit);
  expect(["pending", "finished", "cancelled"].includes(status), `status is ${word(status)}, none of the three`);
}

async function framed(kit) {
  const page = await kit.page(await kit.integration("another"));
  expect(isAccepted(page), `the page answers ${page.status || page.record.came}`);
  expect(/html/.test(page.record.type), `the page is ${page.record.type}, not HTML`);
  frames(page, kit);
}

async function staysFinished(kit) {
  const integration = await kit.finished("finished");
  for (const time of ["second", "third"]) {
    const { status } = await kit.status(integration);
    expect(status === "finished", `status is ${status} when it is asked for the ${time} time`);
  }
}

async function notWhilePending(kit) {
  const integration = await kit.integration("pending");
  const { status } = await firstStatus(kit);
  if (status === "finished") throw new NotRun("an integration is finished without a merchant");
  await kit.refused("GET", TOKEN, kit.keys(integration));
}

async function meaningsOfToken(kit) {
  await incorrect("token", "client_id")(kit);
  await incorrect("token", "client_secret")(kit);
}

async function onceOnly(kit) {
  const { answers } = await kit.race("finished");
  const winners = answers.filter(isAccepted).length;
  expect(winners === 1, `${winners} of ${answers.length} calls at once got tokens`);
  const others = answers.filter(({ status }) => status !== 410).length - 1;
  if (others > 0) kit.warn(`${others} of the calls at once got another refusal than 410`);
}

async function gone(kit) {
  await kit.race("finished");
  const query = kit.keys(await kit.finished("finished"));
  for (let time = 0; time < 2; time += 1) await kit.refused("GET", TOKEN, query, [410]);
}

async function notAnothers(kit) {
  for (const name of ["pending", "finished"]) {
    const query = kit.othersKeys(await kit.integration(name));
    await kit.refused("GET", INTEGRATION, query, [403]);
    await kit.refused("GET", TOKEN, query, [403]);
  }
}

async function tied(kit) {
  await kit.finished("finished");
  const other = await kit.integration("another");
  const { status } = await kit.status(other);
  expect(status !== "finished", "an integration is finished, because another one is");
  await kit.refused("GET", TOKEN, kit.keys(other));
}

/** What the section says, and how it is looked at. */
const ROWS = [
  ["1-1", "The service lets POS vendors get permission from an advertiser account.", because("it is a purpose")],
  ["1-2", "The client first obtains an integration code.", see("4.1-1", "4.1-3")],
  ["1-3", "The code is redeemed for an access token and a refresh token.", see("4.4-9", "4.4-10")],
  ["1-4", "These tokens are used when calling the service's other APIs.", OPEN],
  ["1-5", "The flow has five steps.", see("4.1-1", "4.2-1", "4.3-3", "4.4-7")],
  ["1-6", "If `ereceipt` is true, the POS shows a numeric keypad at every order.", POS],
  ["1-7", "After step 4 the client can call three further operations.", OPEN],
  ["2.1-1", "integrationToken: identifies one integration attempt.", distinct],
  ["2.1-2", "integrationToken: passed as the query parameter `integration_token`.", see("4.2-1", "4.4-7")],
  ["2.1-3", "status: one of `pending`, `finished`, `cancelled`.", see("4.2-2", "4.3-3")],
  ["2.2-1", "accessToken, refreshToken, expiration, ereceipt.", see("4.4-9", "4.4-10", "4.4-11", "4.4-12")],
  ["2.2-2", "expiration: expiry of the access token.", because("§5 leaves open how the token is used")],
  ["2.3-1", "The POS shows a keypad with every order, and cancels the printed receipt.", POS],
  ["2.4-1", "client_id: identifies the POS type that integrates.", see("4.1-6")],
  ["2.4-2", "client_secret: proves the client is genuine.", see("4.1-7", "4.2-7", "4.4-6")],
  ["2.5-1", "Types and formats of the tokens and of expiration: not shown.", OPEN],
  ["2.5-2", "Every response body also carries a boolean `success`, true in the bodies shown.", success],
  ["3-1", "pending, and the user completes the integration in the frame: finished.", see("4.3-3")],
  ["3-2", "Tokens become retrievable through the token operation, once only.", see("4.4-1", "4.4-7", "4.4-13")],
  ["3-3", "finished: only the token operation leads on from there.", see("4.3-4")],
  ["3-4", "Condition: same client_id, client_secret and integration_token.", see("4.4-5", "4.4-6", "5-2")],
  ["3-5", "Later calls with the same keys answer 410.", see("4.4-13")],
  ["3-6", "Initial state, and moves into `cancelled`: not shown.", OPEN],
  ["3-7", "The token operation is to be used only when the status is `finished`.", see("4.4-1")],
  ["4-1", "The parameters are in the query string, without a body.", see("4.1-1", "4.2-1", "4.3-1", "4.4-7")],
  ["4-2", "Responses are JSON.", json],
  ["4.1-1", "POST {base_url}/v1/auth/integration creates a code.", async (kit) => kit.created("pending")],
  ["4.1-2", "success: boolean.", async (kit) => succeeded(await kit.created("pending"))],
  ["4.1-3", "integrationToken: string.", async (kit) => kit.integration("pending")],
  ...required("4.1", 4, "create", KEYS.slice(0, 2)),
  ["4.1-6", "400 when client_id is incorrect.", incorrect("create", "client_id", [400])],
  ["4.1-7", "403 when client_secret is incorrect.", incorrect("create", "client_secret", [403])],
  ["4.2-1", "GET {base_url}/v1/auth/integration. success: boolean.", async (kit) => succeeded(await firstStatus(kit))],
  ["4.2-2", "status: `pending`, `finished`, `cancelled`.", knownStatus],
  ...required("4.2", 3, "status", KEYS),
  ["4.2-6", "403 when the integration token is incorrect.", incorrect("status", "integration_token", [403])],
  ["4.2-7", "403 when the client secret is incorrect.", incorrect("status", "client_secret", [403])],
  ["4.2-8", "client_id: identifies the POS.", incorrect("status", "client_id")],
  ["4.3-1", "The POS embeds an inline frame that loads the page at {connect_url}.", framed],
  ["4.3-2", "The frame URL must carry `integration_token` and `client_id`.", POS],
  ["4.3-3", "The user performs the integration: status becomes `finished`.", async (kit) => kit.finished("finished")],
  ["4.3-4", "It stays `finished` until the tokens are fetched (§3).", staysFinished],
  ["4.4-1", "Use only when the status is `finished`.", notWhilePending],
  ...required("4.4", 2, "token", KEYS),
  ["4.4-5", "403 when the integration token is incorrect.", incorrect("token", "integration_token", [403])],
  ["4.4-6", "client_id and client_secret: their meanings are as in 4.2.", meaningsOfToken],
  ["4.4-7", "The tokens are returned once only.", onceOnly],
  ["4.4-8", "success: boolean.", tokenMember(succeeded)],
  ["4.4-9", "accessToken: string.", tokenMember(isText("accessToken"))],
  ["4.4-10", "refreshToken: string.", tokenMember(isText("refreshToken"))],
  ["4.4-11", "expiration: date value.", tokenMember(expiration)],
  ["4.4-12", "ereceipt: boolean.", tokenMember(ereceipt)],
  ["4.4-13", "410 when the tokens were already retrieved with these keys.", gone],
  ["4.5-1", "Store profile, customers list, single order; the status of success: not shown.", OPEN],
  ["5-1", "Every call authenticates the vendor.", see("4.1-6", "4.1-7", "4.2-7", "4.2-8", "4.4-6")],
  ["5-2", "The integration token ties a call to one attempt, also against another vendor.", notAnothers],
  ["5-3", "The integration token ties a call to one attempt, also of the same vendor.", tied],
  ["5-4", "Both values are issued to each vendor out of band.", because("no call does this")],
  ["5-5", "client_secret is required on the status and token calls.", see("4.2-4", "4.4-3")],
  ["5-6", "How the tokens are presented, and exchanged: not shown.", OPEN],
  ["6-1", "Events: not shown.", OPEN],
  ["7-1", "400 Create: client_id is incorrect.", see("4.1-6")],
  ["7-2", "403 Create: client_secret is incorrect.", see("4.1-7")],
  ["7-3", "403 Check status: integration token or client secret is incorrect.", see("4.2-6", "4.2-7")],
  ["7-4", "403 Retrieve tokens: integration token is incorrect.", see("4.4-5")],
  ["7-5", "410 Retrieve tokens: already retrieved with these keys.", see("4.4-13")],
  ["7-6", "Shape of error response bodies: not shown.", OPEN],
  ["8-1", "The tokens can be retrieved once per integration.", see("4.4-7", "4.4-13")],
  ["8-2", "Rate limits, lifetimes, polling interval, size limits: not shown.", OPEN],
  ["9-1", "The version is the path prefix `/v1` on all endpoints.", see("4.1-1", "4.2-1", "4.4-7")],
  ["9-2", "Version policy, deprecation and compatibility rules: not shown.", OPEN],
];

/** They look at every call that was made. */
const LAST = [success, json];

export const SPEC = ROWS.map(([id, says, how]) =>
  typeof how === "function" ? { id, says, check: how, isLast: LAST.includes(how) } : { id, says, ...how },
);

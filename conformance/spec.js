// The specification, sentence by sentence: `check` looks at one, `by` names the checks that do, and `because` says why
// nobody can from outside. `isLast`: once all calls were made.
import { INTEGRATION, kind, TOKEN, word } from "./client.js";
import { accepted, expect, isAccepted, misses, NotRun } from "./kit.js";

const POS = "the POS does this";
const GAP = "the specification leaves it open";
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
  for (const miss of misses(query[name])) {
    await kit.refused(...callOf[operation], { ...query, [name]: miss }, statuses);
  }
};

const required = (section, first, operation, names) =>
  names.map((name, at) => ({
    id: `${section}-${first + at}`,
    says: `${name}: required.`,
    check: without(operation, name),
  }));

/** A check of a member of the body that has the tokens. */
const tokenMember = (check) => async (kit) => check((await kit.race("finished")).tokens, kit);

const isText = (name) => (tokens) => {
  const isThere = typeof tokens[name] === "string" && tokens[name] !== "";
  expect(isThere, `${name} is ${kind(tokens[name])}, not a text`);
};

const succeeded = async (body) => expect(body.success === true, `success is ${word(body.success)}, not true`);

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
  if (sent === undefined && expirationDate !== undefined) {
    return kit.warn("§2.2 calls the member `expirationDate`, and so does the service; §4.4 calls it `expiration`");
  }
  const isThere = typeof sent === "number" || (typeof sent === "string" && sent !== "");
  expect(isThere, `expiration is ${kind(sent)}, not a date`);
  const time = dated(sent);
  if (Number.isNaN(time)) return kit.warn("expiration is a text that this program cannot read as a date");
  expect(time > Date.now(), "expiration is in the past");
}

/** Whether another site's page may show the connect page in a frame. */
function frames({ headers }, kit) {
  const old = headers.get("x-frame-options");
  const policy = headers.get("content-security-policy") ?? "";
  const ancestors = /frame-ancestors([^;,]*)/i.exec(policy)?.[1].trim().split(/\s+/);
  expect(ancestors || !old, "X-Frame-Options forbids the frame");
  if (!ancestors || ancestors.some((source) => ["*", "https:", kit.origin].includes(source))) return;
  const isNobody = ancestors.every((source) => ["", "'none'", "'self'"].includes(source));
  expect(!isNobody, "frame-ancestors forbids the frame");
  if (!kit.origin) return kit.warn("frame-ancestors names origins; give a till's with --origin");
  kit.warn("frame-ancestors does not name the origin that was given, as it is written");
}

/** What every answer of §4 must be; `says` of an error is for the reviewer. */
function everyAnswer(kit, isSo, wrong) {
  const answers = kit.exchanges.filter(({ sent, status }) => sent.includes(INTEGRATION) && status && status !== 204);
  const bad = answers.filter((record) => !isSo(record));
  const successes = bad.filter(isAccepted).length;
  expect(successes === 0, `${successes} successful answers ${wrong}`);
  if (bad.length > 0) kit.warn(`${bad.length} errors ${wrong}; §7 leaves the shape of errors open`);
}

const isObject = ({ came }) => typeof came === "object";

export const SPEC = [
  { id: "1-1", says: "The service lets POS vendors get permission from an advertiser account.", because: "it is a purpose" },
  { id: "1-2", says: "The client first obtains an integration code.", by: ["4.1-1", "4.1-3"] },
  { id: "1-3", says: "The code is redeemed for an access token and a refresh token.", by: ["4.4-9", "4.4-10"] },
  { id: "1-4", says: "These tokens are used when calling the service's other APIs.", because: "§4.5 and §5 leave them open" },
  { id: "1-5", says: "The flow has five steps: create, poll, connect frame, tokens, keypad.", by: ["4.1-1", "4.2-1", "4.3-3", "4.4-7"] },
  { id: "1-6", says: "If `ereceipt` is true, the POS shows a numeric keypad at every order.", because: POS },
  { id: "1-7", says: "After step 4 the client can call three further operations.", because: GAP },

  {
    id: "2.1-1",
    says: "integrationToken: identifies one integration attempt.",
    check: async (kit) => {
      const tokens = [await kit.integration("pending"), await kit.integration("another")].map(({ token }) => token);
      expect(new Set(tokens).size === tokens.length, "two integrations have the same token");
    },
  },
  { id: "2.1-2", says: "It is passed as the query parameter `integration_token`.", by: ["4.2-1", "4.4-7"] },
  { id: "2.1-3", says: "status: one of `pending`, `finished`, `cancelled`.", by: ["4.2-2", "4.3-3"] },
  { id: "2.2-1", says: "accessToken, refreshToken, expiration, ereceipt.", by: ["4.4-9", "4.4-10", "4.4-11", "4.4-12"] },
  { id: "2.2-2", says: "expiration: expiry of the access token.", because: "§5 leaves open how the token is used" },
  { id: "2.3-1", says: "The POS shows a keypad with every order, and cancels the printed receipt.", because: POS },
  { id: "2.4-1", says: "client_id: identifies the POS type that integrates.", by: ["4.1-6"] },
  { id: "2.4-2", says: "client_secret: proves the client is genuine.", by: ["4.1-7", "4.2-7", "4.4-6"] },
  { id: "2.5-1", says: "Types and formats of the tokens and of expiration: not shown.", because: GAP },
  {
    id: "2.5-2",
    says: "Every response body also carries a boolean `success`, which is true in the bodies shown.",
    isLast: true,
    check: async (kit) => {
      const isRight = ({ status, came }) => came?.success === true || (status >= 400 && came?.success === false);
      everyAnswer(kit, (record) => !isObject(record) || isRight(record), "carry no such `success`");
    },
  },

  { id: "3-1", says: "pending, and the user completes the integration in the connect frame: finished.", by: ["4.3-3"] },
  { id: "3-2", says: "Tokens become retrievable through the token operation, once only.", by: ["4.4-1", "4.4-7", "4.4-13"] },
  { id: "3-3", says: "finished: only the token operation leads on from there.", by: ["4.3-4"] },
  { id: "3-4", says: "Condition: same client_id, client_secret and integration_token.", by: ["4.4-5", "4.4-6", "5-2"] },
  { id: "3-5", says: "Later calls with the same keys answer 410.", by: ["4.4-13"] },
  { id: "3-6", says: "Initial state, and moves into `cancelled`: not shown.", because: GAP },
  { id: "3-7", says: "The token operation is to be used only when the status is `finished`.", by: ["4.4-1"] },

  { id: "4-1", says: "All endpoints take their parameters in the query string, without a body.", by: ["4.1-1", "4.2-1", "4.3-1", "4.4-7"] },
  {
    id: "4-2",
    says: "Responses are JSON.",
    isLast: true,
    check: async (kit) => {
      everyAnswer(kit, isObject, "are no JSON object");
      const others = kit.exchanges.filter((record) => isObject(record) && !/[/+]json$/.test(record.type));
      if (others.length > 0) kit.warn(`${others.length} answers are JSON of another Content-Type`);
    },
  },
  {
    id: "4.1-1",
    says: "POST {base_url}/v1/auth/integration creates an integration code.",
    check: async (kit) => kit.created("pending"),
  },
  { id: "4.1-2", says: "success: boolean.", check: async (kit) => succeeded(await kit.created("pending")) },
  { id: "4.1-3", says: "integrationToken: string.", check: async (kit) => kit.integration("pending") },
  ...required("4.1", 4, "create", KEYS.slice(0, 2)),
  { id: "4.1-6", says: "400 when client_id is incorrect.", check: incorrect("create", "client_id", [400]) },
  { id: "4.1-7", says: "403 when client_secret is incorrect.", check: incorrect("create", "client_secret", [403]) },
  {
    id: "4.2-1",
    says: "GET {base_url}/v1/auth/integration checks the status. success: boolean.",
    check: async (kit) => succeeded(await firstStatus(kit)),
  },
  {
    id: "4.2-2",
    says: "status: `pending`, `finished`, `cancelled`.",
    check: async (kit) => {
      const { status } = await firstStatus(kit);
      expect(["pending", "finished", "cancelled"].includes(status), `status is ${word(status)}, none of the three`);
    },
  },
  ...required("4.2", 3, "status", KEYS),
  { id: "4.2-6", says: "403 when the integration token is incorrect.", check: incorrect("status", "integration_token", [403]) },
  { id: "4.2-7", says: "403 when the client secret is incorrect.", check: incorrect("status", "client_secret", [403]) },
  { id: "4.2-8", says: "client_id: identifies the POS.", check: incorrect("status", "client_id") },
  {
    id: "4.3-1",
    says: "The POS embeds an inline frame that loads the page at {connect_url}.",
    check: async (kit) => {
      const integration = await kit.integration("another");
      const page = await kit.page(integration);
      expect(isAccepted(page), `the page answers ${page.status || page.record.came}`);
      expect(/html/.test(page.record.type), `the page is ${page.record.type}, not HTML`);
      frames(page, kit);
    },
  },
  { id: "4.3-2", says: "The frame URL must carry `integration_token` and `client_id`.", because: POS },
  {
    id: "4.3-3",
    says: "The user performs the integration in the frame. On completion the status becomes `finished`.",
    check: async (kit) => kit.finished("finished"),
  },
  {
    id: "4.3-4",
    says: "It stays `finished` until the tokens are fetched (§3).",
    check: async (kit) => {
      const integration = await kit.finished("finished");
      for (const time of ["second", "third"]) {
        const { status } = await kit.status(integration);
        expect(status === "finished", `status is ${status} when it is asked for the ${time} time`);
      }
    },
  },
  {
    id: "4.4-1",
    says: "Use only when the status is `finished`.",
    check: async (kit) => {
      const integration = await kit.integration("pending");
      const { status } = await firstStatus(kit);
      if (status === "finished") throw new NotRun("an integration is finished without a merchant");
      await kit.refused("GET", TOKEN, kit.keys(integration));
    },
  },
  ...required("4.4", 2, "token", KEYS),
  { id: "4.4-5", says: "403 when the integration token is incorrect.", check: incorrect("token", "integration_token", [403]) },
  {
    id: "4.4-6",
    says: "client_id and client_secret: their meanings are as in 4.2.",
    check: async (kit) => {
      await incorrect("token", "client_id")(kit);
      await incorrect("token", "client_secret")(kit);
    },
  },
  {
    id: "4.4-7",
    says: "The tokens are returned once only.",
    check: async (kit) => {
      const { answers } = await kit.race("finished");
      const winners = answers.filter(isAccepted).length;
      expect(winners === 1, `${winners} of ${answers.length} calls at once got tokens`);
      const others = answers.filter(({ status }) => status !== 410).length - 1;
      if (others > 0) kit.warn(`${others} of the calls at once got another refusal than 410`);
    },
  },
  { id: "4.4-8", says: "success: boolean.", check: tokenMember(succeeded) },
  { id: "4.4-9", says: "accessToken: string.", check: tokenMember(isText("accessToken")) },
  { id: "4.4-10", says: "refreshToken: string.", check: tokenMember(isText("refreshToken")) },
  { id: "4.4-11", says: "expiration: date value.", check: tokenMember(expiration) },
  {
    id: "4.4-12",
    says: "ereceipt: boolean.",
    check: tokenMember(({ ereceipt }) => expect(typeof ereceipt === "boolean", `ereceipt is ${kind(ereceipt)}`)),
  },
  {
    id: "4.4-13",
    says: "410 when the tokens were already retrieved with these keys.",
    check: async (kit) => {
      await kit.race("finished");
      const query = kit.keys(await kit.finished("finished"));
      for (let time = 0; time < 2; time += 1) await kit.refused("GET", TOKEN, query, [410]);
    },
  },
  { id: "4.5-1", says: "Store profile, customers list, single order; the status of success: not shown.", because: GAP },

  { id: "5-1", says: "Every call authenticates the vendor with `client_id` and `client_secret`.", by: ["4.1-6", "4.1-7", "4.2-7", "4.2-8", "4.4-6"] },
  {
    id: "5-2",
    says: "The integration token ties a call to one integration attempt, also against another vendor.",
    check: async (kit) => {
      for (const name of ["pending", "finished"]) {
        const query = kit.othersKeys(await kit.integration(name));
        await kit.refused("GET", INTEGRATION, query, [403]);
        await kit.refused("GET", TOKEN, query, [403]);
      }
    },
  },
  {
    id: "5-3",
    says: "The integration token ties a call to one integration attempt, also of the same vendor.",
    check: async (kit) => {
      await kit.finished("finished");
      const other = await kit.integration("another");
      const { status } = await kit.status(other);
      expect(status !== "finished", "an integration is finished, because another one is");
      await kit.refused("GET", TOKEN, kit.keys(other));
    },
  },
  { id: "5-4", says: "Both values are issued to each vendor out of band.", because: "no call does this" },
  { id: "5-5", says: "client_secret is required on the status and token calls.", by: ["4.2-4", "4.4-3"] },
  { id: "5-6", says: "How the tokens are presented, and exchanged: not shown.", because: GAP },
  { id: "6-1", says: "Events: not shown.", because: GAP },
  { id: "7-1", says: "400 Create: client_id is incorrect.", by: ["4.1-6"] },
  { id: "7-2", says: "403 Create: client_secret is incorrect.", by: ["4.1-7"] },
  { id: "7-3", says: "403 Check status: integration token or client secret is incorrect.", by: ["4.2-6", "4.2-7"] },
  { id: "7-4", says: "403 Retrieve tokens: integration token is incorrect.", by: ["4.4-5"] },
  { id: "7-5", says: "410 Retrieve tokens: already retrieved with these keys.", by: ["4.4-13"] },
  { id: "7-6", says: "Shape of error response bodies: not shown.", because: GAP },
  { id: "8-1", says: "The tokens can be retrieved once per integration.", by: ["4.4-7", "4.4-13"] },
  { id: "8-2", says: "Rate limits, lifetimes, polling interval, size limits: not shown.", because: GAP },
  { id: "9-1", says: "The version is the path prefix `/v1` on all endpoints.", by: ["4.1-1", "4.2-1", "4.4-7"] },
  { id: "9-2", says: "Version policy, deprecation and compatibility rules: not shown.", because: GAP },
];

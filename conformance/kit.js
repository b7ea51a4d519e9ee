// What the checks share: the vendor, the integrations, the merchant's consent, and what is expected of an answer.
import { Client, Fault, given, INTEGRATION, kind, sleep, TOKEN, word } from "./client.js";

const STATUSES = ["pending", "finished", "cancelled"];
/** At once, for one token set. */
export const RACERS = 8;

/** The sentence was not looked at: what it needs is missing. */
export class NotRun extends Error {}

export const expect = (isSo, reason) => {
  if (!isSo) throw new Fault(reason);
};

export class Kit extends Client {
  /** What a reviewer should decide of the check that runs, and the calls of earlier checks that it looks at. */
  warnings = [];
  reused = [];
  #known = new Map();

  /** See `run`. */
  constructor(settings) {
    super(settings.baseUrl);
    this.settings = settings;
  }

  /** Says what a reviewer should decide, because the specification does not. */
  warn(reason) {
    this.warnings.push(reason);
  }

  /** The connect page of an integration, as a frame of a till asks for it. */
  page(integration) {
    return this.open(this.pageUrl(integration), "{connect_url} with integration_token and client_id");
  }

  /** Does `work` once. Who needs it after it has failed is not run. */
  once(name, work) {
    const known = this.#known.get(name);
    if (known) {
      this.reused.push(...known.exchanges);
      return known.done.catch(() => Promise.reject(new NotRun(`this needs ${name}, which failed`)));
    }
    const first = this.exchanges.length;
    const begun = { exchanges: [] };
    begun.done = work().finally(() => (begun.exchanges = this.exchanges.slice(first)));
    this.#known.set(name, begun);
    return begun.done;
  }

  /** The vendor's two keys, and those of the integration, as the query has them. */
  keys(integration) {
    const { clientId, clientSecret } = this.settings.vendor;
    const keys = { client_id: given(clientId, "right"), client_secret: given(clientSecret, "right") };
    return integration ? { ...keys, integration_token: given(integration.token, `of ${integration.name}`) } : keys;
  }

  /** The same by another vendor. */
  othersKeys(integration) {
    const { other } = this.settings;
    if (!other) throw new NotRun("a second vendor was not given (--other-client-id)");
    const keys = { client_id: given(other.clientId, "another vendor's") };
    return { ...this.keys(integration), ...keys, client_secret: given(other.clientSecret, "another vendor's") };
  }

  /** The body of the answer to a create call (§4.1), one for each name. */
  created(name) {
    return this.once(`the call that creates "${name}"`, async () =>
      accepted(await this.call("POST", INTEGRATION, { query: this.keys() })),
    );
  }

  /** The integration that it created. */
  integration(name) {
    return this.once(`the integration "${name}"`, async () => {
      // A fault of every create call fails one row only.
      if (name !== "pending") await this.integration("pending");
      const { integrationToken: token } = await this.created(name);
      expect(typeof token === "string" && token !== "", `integrationToken is ${kind(token)}, not a text`);
      return { name, token };
    });
  }

  /** The status of an integration (§4.2), with the rest of the answer's body. */
  async status(integration) {
    const answer = await this.call("GET", INTEGRATION, { query: this.keys(integration) });
    const body = accepted(answer);
    expect(STATUSES.includes(body.status), `status is ${word(body.status)}, none of the three`);
    return body;
  }

  /** Where the merchant decides (§4.3). */
  pageUrl(integration) {
    const url = new URL(this.settings.connectUrl);
    url.searchParams.set("integration_token", integration.token);
    url.searchParams.set("client_id", this.settings.vendor.clientId);
    return url.href;
  }

  /** Lets the merchant decide, and waits for the status. `ereceipts`: whether to agree to e-receipts. */
  async decide(integration, { decision = "connect", ereceipts = true } = {}) {
    const wanted = decision === "connect" ? "finished" : "cancelled";
    try {
      await this.settings.consent({ url: this.pageUrl(integration), decision, ereceipts });
    } catch (error) {
      throw new Fault(`the merchant could not decide: ${error.message}`);
    }
    const { patience } = this.settings;
    const deadline = Date.now() + patience * 1000;
    for (;;) {
      const { status, interval } = await this.status(integration);
      if (status === wanted) return;
      expect(status === "pending", `status is ${status} after the merchant has chosen to ${decision}`);
      expect(Date.now() < deadline, `status is still pending ${patience} s after the merchant could decide`);
      await sleep(interval >= 1 && interval <= 60 ? interval : 5);
    }
  }

  /** An integration that the merchant has completed. Its tokens were asked for too soon, which must change nothing. */
  finished(name, choices) {
    return this.once(`the finished integration "${name}"`, async () => {
      const integration = await this.integration(name);
      await this.call("GET", TOKEN, { query: this.keys(integration) });
      await this.decide(integration, choices);
      return integration;
    });
  }

  /** The answers to many token calls at once for one finished integration. */
  race(name) {
    return this.once(`the tokens of "${name}"`, async () => {
      const query = this.keys(await this.finished(name));
      const answers = await Promise.all(Array.from({ length: RACERS }, () => this.call("GET", TOKEN, { query })));
      const winner = answers.find(isAccepted);
      expect(winner, `none of ${RACERS} calls got the tokens`);
      return { answers, tokens: accepted(winner) };
    });
  }

  /** Fails unless the call is refused by one of these statuses, by default any 4xx, and gives no token. */
  async refused(method, path, query, statuses) {
    const answer = await this.call(method, path, { query });
    const { accessToken, refreshToken, integrationToken } = answer.body ?? {};
    const isEmpty = !(accessToken || refreshToken || integrationToken);
    expect(isEmpty, `the answer with ${answer.status} has a token, in spite of ${changed(query)}`);
    const isRefused = statuses ? statuses.includes(answer.status) : answer.status >= 400 && answer.status < 500;
    expect(isRefused, `${answer.status} in the place of ${statuses?.join(" or ") ?? "a 4xx"} for ${changed(query)}`);
    return answer;
  }
}

export const isAccepted = ({ status }) => status >= 200 && status < 300;

/** The body of a call that was accepted. */
export function accepted(answer) {
  expect(isAccepted(answer), `${answer.status || answer.record.came} in the place of success`);
  const { body } = answer;
  expect(body !== null && typeof body === "object", "the body is no JSON object");
  return body;
}

const changed = (query) => {
  const all = Object.entries(query).map(([name, { name: value }]) => `${name} ${value}`);
  return all.join(", ") || "no parameters";
};

/** Values that are not quite this one. */
export function misses({ value }) {
  const middle = value.length >> 1;
  const other = value[middle] === "a" ? "b" : "a";
  return [
    given(value.slice(0, middle) + other + value.slice(middle + 1), "with one character changed"),
    given("conformance-made-up-0123456789", "made up"),
    given(value.slice(0, -1), "one character short"),
  ];
}

// The merchants' connections: one value in the storage for each merchant, changed under its lock.
import { queueOf } from "./queue.js";
import { failure, isBusy } from "./upstream.js";

const TOKEN = "/v1/auth/integration/token";
const REFRESH = "/v1/auth/token";
const REVOKE = "/v1/auth/revoke";
const ACCOUNT = "/v1/account";
// Integrations end at the service before that.
const FORGOTTEN_AFTER_MS = 7 * 24 * 60 * 60 * 1000;
// The limit holds for one till: a page that creates them in a loop must not fill the storage, nor take another's away.
const KEPT_INTEGRATIONS = 10;
// How old what is known of e-receipts may be, and how long a till waits for the news.
const CHECKED_EVERY_MS = 15_000;
const CHECK_PATIENCE_MS = 2000;

/**
 * What the storage holds for a merchant. `integrations`: by the hash of the token, whose it is and what came of it.
 * `connection`: the token set. `known`: the account and store that waiting orders are for. `spent`: tokens that have to
 * be revoked.
 */
const NOBODY = { integrations: {}, connection: null, known: null, spent: [] };

export function connectionsOf({ upstream, storage, mayChangeAccount, onError }) {
  /** When the service may be asked again, by merchant. */
  const checkFrom = new Map();
  // The calls of one merchant must not hold all connections of a database while they wait for the lock.
  const queued = queueOf();

  const load = async (merchant) => (await storage.load(merchant)) ?? NOBODY;

  /** `work(value, save)`; `save` takes what changes, and gives the whole. */
  const locked = (merchant, work) =>
    queued(merchant, () =>
      storage.locked(merchant, (stored, save) => {
        let value = stored ?? NOBODY;
        return work(value, async (change) => {
          value = { ...value, ...change };
          await save(value);
          return value;
        });
      }),
    );

  const checkedNow = (merchant, restMs = 0) =>
    checkFrom.set(merchant, performance.now() + Math.max(restMs, CHECKED_EVERY_MS));

  async function create(till) {
    const created = await upstream.vendor("POST", "/v1/auth/integration");
    if (created.status >= 300) return created;
    const hash = await hashOf(created.body.integrationToken);
    const integration = { till: till.id, pickupId: crypto.randomUUID(), createdAt: Date.now() };
    // Stored before it is answered: the till's next call is refused if nobody knows whose integration it is.
    await locked(till.merchant, ({ integrations }, save) =>
      save({ integrations: { ...recent(integrations, till), [hash]: integration } }),
    );
    return created;
  }

  async function owns(till, token) {
    const { integrations } = await load(till.merchant);
    return integrations[await hashOf(token)]?.till === till.id;
  }

  // The service gives the tokens only once. So only one call at a time may ask for them, and the lock ends after they
  // are stored.
  async function pickUp(till, token) {
    const hash = await hashOf(token);
    const answer = await locked(till.merchant, async (value, save) => {
      const integration = value.integrations[hash];
      const settle = (outcome, change) =>
        save({ ...change, integrations: { ...value.integrations, [hash]: { ...integration, ...outcome } } });
      // Somebody has disconnected the merchant meanwhile.
      if (!integration) return INVALID_INTEGRATION;
      if (integration.refused) return OTHER_ACCOUNT;
      if (integration.shown) return { status: 200, body: integration.shown };
      // Not tied to the till's connection: a till that hangs up must not cut off the only answer with the tokens.
      const answer = await asked(token, integration.pickupId);
      if (answer.status >= 300) return answer;
      const { accessToken, refreshToken, expiration, ereceipt, account, store } = answer.body ?? {};
      if (!accessToken) throw new Error(`GET ${TOKEN}: 200 without tokens`);
      const named = { account: account?.id, store: store?.id };
      if (isOther(value.known, named) && !(await mayChangeAccount(till.merchant))) {
        await settle({ refused: true }, { spent: [...value.spent, refreshToken ?? accessToken] });
        return OTHER_ACCOUNT;
      }
      const connection = { accessToken, refreshToken, expiration, ereceipt, account, store };
      const shown = { success: true, held: true, expiration, ereceipt, account, store };
      const known = named.account ? named : value.known;
      const spent = [...value.spent, ...tokensOf(value.connection)];
      await settle({ shown }, { connection, known, spent });
      checkedNow(till.merchant);
      return { ...answer, body: shown };
    });
    revokeSpent(till.merchant).catch(onError);
    return answer;
  }

  async function asked(token, pickupId) {
    const keys = { integration_token: token, pickup_id: pickupId };
    const answer = await upstream.vendor("GET", TOKEN, keys);
    // The service has given the tokens to this very pickup_id, and they are not stored: that answer was lost.
    const isLost = answer.status === 410 && answer.body?.pickup === "yours";
    return isLost ? upstream.vendor("POST", `${TOKEN}/reissue`, keys) : answer;
  }

  /** What every till of the merchant may know. */
  async function read({ merchant }) {
    let { connection, spent } = await load(merchant);
    if (spent.length > 0) revokeSpent(merchant).catch(onError);
    if (isLive(connection) && performance.now() >= (checkFrom.get(merchant) ?? 0)) {
      checkedNow(merchant);
      const check = checked(merchant, connection).catch((error) => {
        checkedNow(merchant, error.restMs);
        onError(error);
      });
      // A till that waits longer gets what is known, and the news with its next call.
      await Promise.race([check, new Promise((resolve) => setTimeout(resolve, CHECK_PATIENCE_MS))]);
      ({ connection } = await load(merchant));
    }
    if (!isLive(connection)) return { success: true, connected: false };
    const { expiration, ereceipt, account, store } = connection;
    return { success: true, connected: true, expiration, ereceipt, account, store };
  }

  async function checked(merchant, connection) {
    const answer = await upstream.merchant(connection.accessToken, { method: "GET", path: ACCOUNT });
    const { status, body } = answer;
    if (isBusy(status)) throw failure(`GET ${ACCOUNT}`, status, answer);
    // Without a refresh token, nothing tells an end from a service that lacks the call.
    if (status === 401 && connection.refreshToken) return refreshed(merchant, connection.accessToken);
    if (status !== 200 || typeof body?.ereceipt !== "boolean" || body.ereceipt === connection.ereceipt) return;
    await locked(merchant, ({ connection: now }, save) => {
      if (now?.accessToken === connection.accessToken) return save({ connection: { ...now, ereceipt: body.ereceipt } });
    });
  }

  /** Passes a call on, with an access token that works. */
  async function operate({ merchant }, call) {
    let { connection } = await load(merchant);
    if (!connection) return NOT_CONNECTED;
    if (!isLive(connection)) return CONNECTION_ENDED;
    const answer = await upstream.merchant(connection.accessToken, call);
    if (answer.status !== 401) return answer;
    // The service did nothing but look at the token, so the call may be sent again with another.
    connection = await refreshed(merchant, connection.accessToken);
    if (!isLive(connection)) return CONNECTION_ENDED;
    const again = await upstream.merchant(connection.accessToken, call);
    if (again.status === 401) throw new Error(`${call.method} ${call.path}: 401 for a token that was just made`);
    return again;
  }

  /** The connection with another access token than `used`. A refresh token works once, so one call has it at a time. */
  const refreshed = (merchant, used) =>
    locked(merchant, async ({ connection }, save) => {
      if (!isLive(connection) || connection.accessToken !== used) return connection;
      const changed = connection.refreshToken ? await refresh(connection.refreshToken) : ENDED;
      return (await save({ connection: { ...connection, ...changed } })).connection;
    });

  /** What changes in a connection. */
  async function refresh(refreshToken) {
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
    const answer = await upstream.form(REFRESH, grant);
    const { status, body } = answer;
    if ([body?.code, body?.error].includes("invalid_grant")) return ENDED;
    if (status >= 300 || !body?.access_token) throw failure(`POST ${REFRESH}`, status, answer);
    const { access_token: accessToken, refresh_token = refreshToken, ...rest } = body;
    const told = ["expiration", "ereceipt"].filter((name) => name in rest).map((name) => [name, rest[name]]);
    return { accessToken, refreshToken: refresh_token, ...Object.fromEntries(told) };
  }

  async function disconnect({ merchant }) {
    await locked(merchant, (value, save) => {
      const open = Object.entries(value.integrations).filter(([, { shown, refused }]) => !shown && !refused);
      const spent = [...value.spent, ...tokensOf(value.connection)];
      return save({ integrations: Object.fromEntries(open), connection: value.connection && ENDED, spent });
    });
    await revokeSpent(merchant).catch(onError);
  }

  /** What the service does not confirm is revoked with a later call. Each call is outside of the lock: it may hang. */
  async function revokeSpent(merchant) {
    for (const token of (await load(merchant)).spent) {
      const { status } = await upstream.form(REVOKE, { token });
      if (status >= 300) throw new Error(`POST ${REVOKE}: ${status}`);
      await locked(merchant, ({ spent }, save) => save({ spent: spent.filter((other) => other !== token) }));
    }
  }

  return { create, owns, pickUp, read, operate, disconnect };
}

const problem = (status, code) => ({ status, body: { success: false, code } });
const INVALID_INTEGRATION = problem(403, "invalid_integration");
const NOT_CONNECTED = problem(404, "not_connected");
const CONNECTION_ENDED = problem(409, "connection_ended");
const OTHER_ACCOUNT = problem(409, "other_account");

/** Whoever reads the storage cannot use an integration token that is found there. */
async function hashOf(token) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return Buffer.from(digest).toString("hex");
}

/** What a connection has no more that the merchant or the service has ended. */
const ENDED = { accessToken: null, refreshToken: null };
const isLive = (connection) => Boolean(connection?.accessToken);
const tokensOf = (connection) => [connection?.refreshToken ?? connection?.accessToken].filter(Boolean);

/** Whether waiting orders would go to somebody else. What one of the two does not say is no difference. */
const isOther = (before, now) =>
  ["account", "store"].some((part) => before?.[part] && now[part] && before[part] !== now[part]);

/** What is kept when this till creates another one. */
function recent(integrations, till) {
  const since = Date.now() - FORGOTTEN_AFTER_MS;
  const kept = Object.entries(integrations).filter(([, { createdAt }]) => createdAt > since);
  const [own, others] = [true, false].map((isOwn) => kept.filter(([, { till: id }]) => (id === till.id) === isOwn));
  return Object.fromEntries([...others, ...own.slice(1 - KEPT_INTEGRATIONS)]);
}

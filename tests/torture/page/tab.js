// One tab of a till: creates or resumes an integration and picks its tokens up, as a host would.
import { PosConnect, PosConnectError } from "/pkg/index.js";
import { sleep, watchWrites } from "./runs.js";

// Far more than a busy machine needs: what hangs, hangs for ever.
const PENDING = 180_000;
const HAND_OVER = 150_000;
// The SDK calls `persistTokens` after `fetchTokens`, when it has its turn.
const CALLED = 60_000;
const DELIVERED = "answer just delivered";
const tab = frameElement.tab;
const { run, plan, job } = tab;
const note = (what, more) => run.note(tab, what, more);
const step = (at) => run.step(`tab removed: ${at}`, tab);

watch();
play()
  .catch((error) => failed("page", error))
  .finally(() => tab.finish());

// The steps at which this tab may be removed.
function watch() {
  const { fetch } = window;
  window.fetch = (what, init) => {
    const url = what.url ?? String(what);
    const method = init?.method ?? what.method;
    if (!url.includes("/v1/auth/integration/token")) return fetch(what, init);
    run.sender = tab;
    const answer = fetch(what, init);
    step("as it sent");
    const watched = method !== "DELETE" && plan.kills.some(({ at }) => at.endsWith(DELIVERED));
    return watched ? answer.then(delivered) : answer;
  };
  const delivered = (response) => {
    if (response.ok) step(DELIVERED);
    return response;
  };
  watchWrites(tab, accessIn, () => step("as it wrote"));
}

// The access token of the answer in an entry.
function accessIn(text) {
  try {
    const { tokenResponse } = JSON.parse(text);
    const access = tokenResponse && JSON.parse(tokenResponse).accessToken;
    return access && { access };
  } catch {
    return undefined;
  }
}

async function play() {
  const pos = await PosConnect.create(options());
  let integration;
  if (job.creates) {
    integration = (await tried("createIntegration", () => pos.createIntegration())).value;
    if (integration) await run.created(integration.integrationToken);
  } else {
    integration = (await tried("resume", () => pos.resume())).value;
    if (integration === null) note("nothing to resume");
  }
  if (integration) await pickUp(integration);
  if (job.isLast) await look(pos, integration);
}

function options() {
  const { baseUrl, connectUrl, clientId, clientSecret } = plan;
  return { baseUrl, connectUrl, clientId, clientSecret, persistTokens: plan.persist ? persist : undefined };
}

function persist(tokens) {
  note("persist", { access: tokens.accessToken });
  step("in persistTokens");
  run.persists();
  return sleep(20).then(() => note("persisted"));
}

async function pickUp(integration) {
  if (!(await fetched(integration))) return;
  if (plan.waits && !job.isLast) await Promise.race([run.persisting, sleep(CALLED)]);
  if (job.repeats) await fetched(integration);
  if (!job.isLast) return;
  if (plan.persist) await Promise.race([run.erased(tab), sleep(HAND_OVER)]);
  note("acknowledging");
  const { ok } = await tried("acknowledgeTokens", () => integration.acknowledgeTokens());
  if (ok) note("acknowledged");
  await fetched(integration);
}

// As long as it is worth trying, as the error itself says.
async function fetched(integration) {
  for (let tries = 0; tries < 25; tries += 1) {
    const asked = Math.round(performance.timeOrigin + performance.now() - run.epoch);
    const { ok, value: tokens, again } = await told("fetchTokens", () => integration.fetchTokens());
    if (ok) {
      note("handed", { access: tokens.accessToken, asked });
      step("as its call resolved");
      return true;
    }
    if (!again) return false;
    await sleep(300);
  }
  note("gave up");
  return false;
}

// What is left for the page after next.
async function look(pos, integration) {
  const { ok, value: connection } = await tried("connection", () => pos.connection());
  if (ok) note("connection", { found: connection !== null });
  if (!integration) return;
  const again = await tried("resume", () => pos.resume());
  if (again.value === null) note("nothing more to resume");
}

// The same for what goes through no proxy: on a busy machine even the browser's storage can take too long.
async function tried(operation, call) {
  for (let tries = 0; ; tries += 1) {
    const result = await told(operation, call);
    if (!result.again || tries === 10) return result;
    await sleep(300);
  }
}

// What the promise came to, and whether its error may pass.
async function told(operation, call) {
  let timer;
  const late = {};
  const begun = performance.now();
  const limit = new Promise((resolve) => (timer = setTimeout(resolve, PENDING, late)));
  try {
    const value = await Promise.race([call(), limit]);
    if (value !== late) return { ok: true, value };
    note("pending", { operation });
    return { ok: false };
  } catch (error) {
    failed(operation, error, Math.round(performance.now() - begun));
    return { ok: false, again: Boolean(error?.retryable) };
  } finally {
    clearTimeout(timer);
  }
}

function failed(operation, error, took = 0) {
  const known = error instanceof PosConnectError;
  // The text of a foreign error helps, and it comes from this page's own code.
  const code = known ? error.code : String(error).slice(0, 120);
  note("failed", { operation, known, code, took, retryable: Boolean(error?.retryable) });
}

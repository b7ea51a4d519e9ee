// Runs the checks of a profile, and gathers what they found.
import { EXTENSIONS } from "./extensions.js";
import { Fault } from "./client.js";
import { Kit, NotRun } from "./kit.js";
import { SPEC } from "./spec.js";

export const PROFILES = { spec: SPEC, extensions: [...SPEC, ...EXTENSIONS] };
/** From the worst to the best; what nobody can test says nothing of the service. */
export const VERDICTS = ["failed", "not run", "to review", "passed", "not testable"];

/** §4 has the calls, in the order of the flow; other sections look at what it leaves, some at all of it. */
const phase = ({ id, isLast }) => (isLast ? 3 : id.startsWith("E") ? 2 : id.startsWith("4") ? 0 : 1);

/**
 * Tests a service. `settings`: `baseUrl`, `connectUrl`, `vendor` and `other` (`{ clientId, clientSecret }`), `origin`
 * of a till's page, `patience` in seconds, and `consent({ url, decision, ereceipts })`, which has a merchant open the
 * URL and "connect" or "cancel". It may resolve before they have. Gives `{ service, profile, date, rows }`.
 */
export async function run({ profile = "spec", ...settings }) {
  const rows = PROFILES[profile];
  const kit = new Kit(settings);
  const found = new Map();
  const checks = rows.filter(({ check }) => check).sort((one, other) => phase(one) - phase(other));
  for (const row of checks) found.set(row.id, await verdictOf(row, kit));
  // At the end, because a token may come after an answer that has it.
  for (const [id, verdict] of found) found.set(id, withoutSecrets(verdict, kit));
  const all = rows.map((row) => ({ id: row.id, says: row.says, ...(found.get(row.id) ?? inferred(row, found)) }));
  const { origin, pathname } = new URL(settings.baseUrl);
  return { service: origin + pathname, profile, date: new Date().toISOString(), rows: all };
}

/** How one check ends. An answer that it cannot read is a fault of the service, and the others go on. */
async function verdictOf({ check }, kit) {
  const first = kit.exchanges.length;
  [kit.warnings, kit.reused] = [[], []];
  const { verdict, reason } = await check(kit).then(
    (note) => {
      if (kit.warnings.length > 0) return { verdict: "to review", reason: kit.warnings.join("; ") };
      return { verdict: "passed", reason: typeof note === "string" ? note : "" };
    },
    (error) => {
      if (error instanceof NotRun) return { verdict: "not run", reason: error.message };
      const reason = error instanceof Fault ? error.message : `the check cannot read the answer (${error.name})`;
      return { verdict: "failed", reason };
    },
  );
  const own = kit.exchanges.slice(first);
  return { verdict, reason, exchanges: own.length > 0 ? own : kit.reused };
}

function withoutSecrets({ verdict, reason, exchanges }, kit) {
  const shown = exchanges.map((record) => ({ ...record, came: kit.hidden(record.came) }));
  return { verdict, reason: kit.hidden(reason), exchanges: shown };
}

/** What the named checks say together. */
function inferred({ by, because }, found) {
  if (because) return { verdict: "not testable", reason: because };
  const verdicts = by.map((id) => found.get(id).verdict);
  return { verdict: VERDICTS.find((verdict) => verdicts.includes(verdict)), by };
}

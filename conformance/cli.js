#!/usr/bin/env node
// The program: reads the options, asks for the merchant's consent, prints and writes the report.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { counts, hasFailed, html, text } from "./report.js";
import { PROFILES, run } from "./run.js";

const HELP = `Tests an authorization service against its specification, from outside

Usage: pos-connect-conformance [OPTIONS] --client-id <ID> --connect-url <URL> <BASE-URL>

Options:
      --client-id <ID>        The vendor's; its secret is read from POS_CONNECT_CLIENT_SECRET
      --connect-url <URL>     The page where a merchant decides
      --consent <COMMAND>     Decides for the merchant: opens CONSENT_URL, and does CONSENT_DECISION (connect or cancel)
                              and CONSENT_ERECEIPTS (yes or no); without it, a person does
      --profile <PROFILE>     spec, the specification alone; or extensions, also what pos-connect-service adds
                              [default: spec]
      --other-client-id <ID>  A second vendor's; its secret is read from POS_CONNECT_OTHER_CLIENT_SECRET
      --origin <ORIGIN>       Origin of a page of the vendor's
      --patience <SECONDS>    How long to wait for a merchant, and for the end of an integration [default: 600]
      --report <FILE>         Write the report as a page
      --json                  Print JSON
  -h, --help                  Print help

Exits with 1 if a sentence does not hold, and with 2 if it could not begin.
`;

const SECRET = "POS_CONNECT_CLIENT_SECRET";
const OTHER_SECRET = "POS_CONNECT_OTHER_CLIENT_SECRET";
const TEXTS = ["client-id", "connect-url", "consent", "profile", "other-client-id", "origin", "patience", "report"];
const OPTIONS = {
  ...Object.fromEntries(TEXTS.map((name) => [name, { type: "string" }])),
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
};

/** A person opens the page, while the program asks for the status. */
async function byHand({ url, decision, ereceipts }) {
  const choice = decision === "cancel" ? "press Cancel" : `connect, ${ereceipts ? "with" : "without"} e-receipts`;
  process.stderr.write(`\nOpen this page as a merchant, and ${choice}:\n${url}\n`);
}

const byCommand = (command) => async ({ url, decision, ereceipts }) => {
  const asked = { CONSENT_URL: url, CONSENT_DECISION: decision, CONSENT_ERECEIPTS: ereceipts ? "yes" : "no" };
  const env = { ...process.env, ...asked };
  for (const name of [SECRET, OTHER_SECRET]) delete env[name];
  // Standard output is the report's.
  const child = spawn(command, { shell: true, env, stdio: ["ignore", process.stderr, "inherit"] });
  const [code, signal] = await once(child, "exit");
  if (code !== 0) throw new Error(`the command of --consent ended with ${code ?? signal}`);
};

/** What the options say, for `run`; throws what is wrong with them. */
function settings(values, [baseUrl, ...more]) {
  const needed = { "BASE-URL": baseUrl, "--client-id": values["client-id"], "--connect-url": values["connect-url"] };
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  if (missing.length > 0) throw new Error(`${missing.join(", ")} missing`);
  if (more.length > 0) throw new Error("one BASE-URL is tested at a time");
  for (const [name, url] of [["BASE-URL", baseUrl], ["--connect-url", values["connect-url"]]]) {
    const { protocol, username, password } = new URL(url);
    if (!/^https?:$/.test(protocol) || username || password) throw new Error(`${name} must be http(s), without a user`);
  }
  const profile = values.profile ?? "spec";
  if (!Object.hasOwn(PROFILES, profile)) throw new Error(`--profile is one of ${Object.keys(PROFILES).join(", ")}`);
  const patience = Number(values.patience ?? 600);
  if (!(patience > 0)) throw new Error("--patience is a number of seconds");
  const vendor = (id, name) => {
    const clientSecret = process.env[name];
    if (!clientSecret) throw new Error(`the client secret is missing: set ${name}`);
    return { clientId: id, clientSecret };
  };
  const other = values["other-client-id"];
  return {
    baseUrl,
    connectUrl: values["connect-url"],
    profile,
    patience,
    origin: values.origin,
    vendor: vendor(values["client-id"], SECRET),
    other: other && vendor(other, OTHER_SECRET),
    consent: values.consent ? byCommand(values.consent) : byHand,
  };
}

async function main() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help) return process.stdout.write(HELP);
  const report = await run(settings(values, positionals));
  if (values.report) await writeFile(values.report, html(report));
  const printed = values.json ? JSON.stringify({ ...report, counts: counts(report) }) : text(report);
  process.stdout.write(`${printed}\n`);
  process.exitCode = hasFailed(report) ? 1 : 0;
}

main().catch((error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 2;
});

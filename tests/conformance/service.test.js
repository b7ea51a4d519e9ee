// @engines chromium: no browser is opened
// The program: our own service passes both profiles; a person consents; what it cannot begin with.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Program } from "../e2e/support/process.js";
import { Service } from "../e2e/support/service.js";
import { startReference } from "./reference.js";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const CLI = path("../../conformance/cli.js");
const ORIGIN = "https://till.example";

/** The arguments and the environment of a run. */
function about({ baseUrl, connectUrl, vendor, other }, ...more) {
  const args = [CLI, baseUrl, "--connect-url", connectUrl, "--client-id", vendor.clientId];
  const [secret, others] = [vendor.clientSecret, other.clientSecret];
  const env = { POS_CONNECT_CLIENT_SECRET: secret, POS_CONNECT_OTHER_CLIENT_SECRET: others };
  return [[...args, "--other-client-id", other.clientId, ...more], env];
}

test("our own service passes", async () => {
  // So an integration that nobody decides ends while the kit waits for it.
  process.env.POS_CONNECT_SERVICE_INTEGRATION_TTL_SECONDS = "30";
  const service = await Service.start({ interval: 1, origins: [ORIGIN] });
  const folder = await mkdtemp(join(tmpdir(), "pos-connect-conformance-"));
  try {
    const { database, settings } = service;
    const words = ["vendor", "add", "--name", "Another", "--database", database, "--json"];
    const added = await promisify(execFile)(process.env.POS_SERVICE_BIN, words);
    const other = JSON.parse(added.stdout);
    const vendor = { clientId: settings.clientId, clientSecret: settings.clientSecret };
    const consent = `"${process.execPath}" "${path("consent.mjs")}"`;
    const report = join(folder, "report.html");
    const more = ["--profile", "extensions", "--origin", ORIGIN, "--patience", "60", "--consent", consent];
    const [args, env] = about({ ...settings, vendor, other }, ...more, "--json", "--report", report);
    const kit = new Program(process.execPath, args, { env: { ...env, DEMO_SETTINGS: JSON.stringify(settings) } });
    assert.equal(await kit.exited, 0, kit.output);
    const { rows, counts } = JSON.parse(kit.output);
    assert.deepEqual(Object.keys(counts), ["passed", "not testable"], kit.output);
    assert.ok(rows.length > 90, "rows are missing");
    const mute = rows.filter(({ exchanges, reason }) => exchanges?.length === 0 && !reason).map(({ id }) => id);
    assert.deepEqual(mute, [], "the report does not say what these looked at");
    const page = await readFile(report, "utf8");
    assert.match(page, /E8-1/);
    // Nothing that is as long and as random as a secret or a token.
    for (const shown of [kit.output, page]) assert.equal(/[\w-]{30,}|4477009/.exec(shown)?.[0], undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await service.stop();
  }
});

test("a person consents, and a service with a fault ends it with 1", async () => {
  const reference = await startReference(async (call, next) => {
    const answer = await next(call);
    return answer.status === 410 ? Response.json({ success: false }, { status: 404 }) : answer;
  });
  try {
    const [args, env] = about(reference.settings);
    const kit = new Program(process.execPath, args, { env });
    const url = await kit.until("page to open", () => /^http\S+integration_token\S+$/m.exec(kit.output)?.[0]);
    await reference.settings.consent({ url, decision: "connect", ereceipts: true });
    assert.equal(await kit.exited, 1, kit.output);
    assert.match(kit.output, /^failed {4}4\.4-13 .*\n +404 in the place of 410/m);
  } finally {
    reference.stop();
  }
});

test("the command that consents has no secret", async () => {
  const reference = await startReference();
  try {
    const consent = `"${process.execPath}" -e "console.log(JSON.stringify(process.env)); process.exitCode = 3"`;
    const [args, env] = about(reference.settings, "--consent", consent);
    const kit = new Program(process.execPath, args, { env });
    assert.equal(await kit.exited, 1, kit.output);
    assert.match(kit.output, /CONSENT_URL/);
    assert.doesNotMatch(kit.output, /s3cret/);
  } finally {
    reference.stop();
  }
});

test("what is missing is named, and ends it with 2", async () => {
  const vendor = { clientId: "till", clientSecret: "" };
  const [args, env] = about({ baseUrl: "http://localhost", connectUrl: "http://localhost", vendor, other: vendor });
  const nothing = [[CLI], /BASE-URL, --client-id, --connect-url/];
  for (const [given, words] of [nothing, [args, /set POS_CONNECT_CLIENT_SECRET/]]) {
    const kit = new Program(process.execPath, given, { env });
    assert.equal(await kit.exited, 2);
    assert.match(kit.output, words);
  }
});

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathFrom } from "./environment.js";
import { freePort, Program } from "./process.js";
import { Relay } from "./relay.js";

/** A service of its own, with a database of its own, that serves the demo till from a second port. */
export class Service {
  /** `{ baseUrl, connectUrl, tillUrl, clientId, clientSecret, account: { email, password } }` */
  settings;
  database;
  #program;
  #folder;
  #metrics;

  /**
   * With `relay`, the till talks to one, and knows a till key in place of the secret. `interval`: seconds between two
   * status calls. `origins`: of further pages that may call. `till`: the folder of pages that the second port serves.
   * `brand`: options that its pages show. `script`: a file that the till's page runs before its own scripts.
   */
  static async start(options = {}) {
    const service = new Service();
    try {
      await service.#start(options);
    } catch (error) {
      // Or the tests that cannot begin would wait for it.
      await service.#program?.stop("SIGKILL");
      throw error;
    }
    return service;
  }

  async #start({ relay = false, interval = 5, origins = [], brand = [], till = pathFrom("POS_TILL_DIR"), script }) {
    this.#folder = await mkdtemp(join(tmpdir(), "pos-connect-e2e-"));
    if (script) till = await copyWith(script, till, join(this.#folder, "till"));
    if (relay) this.relay = await Relay.prepare(this.#folder, await freePort());
    const metrics = await freePort();
    this.#metrics = `http://127.0.0.1:${metrics}/metrics`;
    this.database = `sqlite://${join(this.#folder, "e2e.db")}`;
    const { options, env } = this.relay?.forTheTill() ?? { options: [], env: {} };
    this.#program = new Program(
      pathFrom("POS_SERVICE_BIN"),
      [
        ..."serve --demo --json --listen=127.0.0.1:0 --till-listen=127.0.0.1:0".split(" "),
        `--till=${till}`,
        `--database=${this.database}`,
        `--messages=file:${join(this.#folder, "messages")}`,
        "--messages-per-number=1000",
        `--metrics-listen=127.0.0.1:${metrics}`,
        `--interval-seconds=${interval}`,
        ...origins.flatMap((origin) => ["--demo-origin", origin]),
        ...brand,
        ...options,
      ],
      { env },
    );
    const program = this.#program;
    const line = await program.until("first line", () => /^(\{.*\})\r?\n/m.exec(program.output)?.[1]);
    this.settings = JSON.parse(line);
    this.tillUrl = this.settings.tillUrl.replace(/\/?$/, "/");
    await this.relay?.start(this.settings, origins);
    await program.answers(this.tillUrl);
  }

  /** How many violations of the till's policy browsers have reported to its server. */
  async violations() {
    const { violations } = await (await read(new URL("csp-report", this.tillUrl))).json();
    assert.equal(typeof violations, "number");
    return violations;
  }

  /** What the shoppers' phones show, the oldest first: `{ id, to, text, locale }`. */
  async messages() {
    return (await read(new URL("messages.json", this.tillUrl))).json();
  }

  /** How many orders it has accepted; the same order again counts, too. */
  async orders() {
    const text = await (await read(this.#metrics)).text();
    const line = /^pos_connect_requests_total\{method="POST",path="\/v1\/orders",status="200"\} (\d+)$/m;
    return Number(line.exec(text)?.[1] ?? 0);
  }

  /** A power cut. */
  async kill() {
    await this.#program.stop("SIGKILL");
  }

  /** An orderly end. The log must not have learned a secret. */
  async stop() {
    const wasRunning = this.#program.running;
    // At once: each of them first hears a last call of its connections out.
    const [end, relayLog = ""] = await Promise.all([this.#program.stop(), this.relay?.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
    if (wasRunning) assert.equal(end, 0, `The service ended with ${end}:\n${this.#program.output}`);
    const log = this.#program.output.replace(/^\{.*\}\r?\n/m, "") + relayLog;
    const { clientSecret, account } = this.settings;
    for (const secret of [clientSecret, account.password, this.relay?.tillKey].filter(Boolean))
      assert.ok(!log.includes(secret), "A secret is in the service's log.");
    assert.doesNotMatch(log, /integration_token=/, "A query string is in the service's log.");
  }
}

async function read(url) {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return response;
}

/** Copies the till, with a script in front of those of its page. */
async function copyWith(script, till, folder) {
  await cp(till, folder, { recursive: true });
  await cp(script, join(folder, "rig.js"));
  const page = join(folder, "index.html");
  const text = await readFile(page, "utf8");
  assert.match(text, /<script/);
  await writeFile(page, text.replace("<script", '<script src="rig.js"></script>\n  <script'));
  return folder;
}

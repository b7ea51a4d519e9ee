import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathFrom } from "./environment.js";
import { Program } from "./process.js";

/** A service of its own, with a database of its own, that serves the demo till from a second port. */
export class Service {
  /** `{ baseUrl, connectUrl, tillUrl, clientId, clientSecret, account: { email, password } }` */
  settings;
  #program;
  #folder;

  static async start() {
    const service = new Service();
    service.#folder = await mkdtemp(join(tmpdir(), "pos-connect-e2e-"));
    service.#program = new Program(pathFrom("POS_SERVICE_BIN"), [
      "serve", "--demo", "--json",
      "--listen", "127.0.0.1:0", "--till-listen", "127.0.0.1:0",
      "--till", pathFrom("POS_TILL_DIR"),
      "--database", `sqlite://${join(service.#folder, "e2e.db")}`,
    ]);
    const program = service.#program;
    const line = await program.until("first line", () => /^(\{.*\})\r?\n/m.exec(program.output)?.[1]);
    service.settings = JSON.parse(line);
    service.tillUrl = service.settings.tillUrl.replace(/\/?$/, "/");
    await program.until("till", () => fetch(service.tillUrl).then((response) => response.ok, () => false));
    return service;
  }

  /** How many violations of the till's policy browsers have reported to its server. */
  async violations() {
    const response = await fetch(new URL("csp-report", this.tillUrl));
    assert.equal(response.status, 200);
    const { violations } = await response.json();
    assert.equal(typeof violations, "number");
    return violations;
  }

  /** A power cut. */
  async kill() {
    await this.#program.stop("SIGKILL");
  }

  /** An orderly end. The log must not have learned a secret. */
  async stop() {
    const wasRunning = this.#program.running;
    const end = await this.#program.stop();
    await rm(this.#folder, { recursive: true, force: true });
    if (wasRunning) assert.equal(end, 0, `The service ended with ${end}:\n${this.#program.output}`);
    const log = this.#program.output.replace(/^\{.*\}\r?\n/m, "");
    const { clientSecret, account } = this.settings;
    for (const secret of [clientSecret, account.password]) assert.ok(!log.includes(secret), "A secret is in the service's log.");
    assert.doesNotMatch(log, /integration_token=/, "A query string is in the service's log.");
  }
}

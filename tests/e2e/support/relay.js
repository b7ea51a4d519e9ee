import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pathFrom } from "./environment.js";
import { Program } from "./process.js";

/** A relay with one till, between the demo till and its service. It keeps the tokens. */
export class Relay {
  url;
  tillKey;
  #folder;
  #program;
  /** Runs a command of the relay's program on its database; gives what that prints. */
  #run = async (...command) =>
    (await promisify(execFile)(pathFrom("POS_RELAY_BIN"), [...command, ...this.#database()])).stdout;

  /** Lets the till in, before anything runs. */
  static async prepare(folder, port) {
    const relay = new Relay();
    relay.#folder = join(folder, "relay");
    await mkdir(relay.#folder);
    relay.url = `http://127.0.0.1:${port}`;
    await relay.#run("migrate");
    relay.tillKey = await relay.addTill("bakery");
    return relay;
  }

  /** Lets one more till of a merchant in; gives its key. */
  async addTill(merchant) {
    const { key } = JSON.parse(await this.#run("till", "add", "--merchant", merchant, "--json"));
    assert.ok(key, "The relay gave the till no key.");
    return key;
  }

  /** What the service has to know, so that its till talks to this relay. */
  forTheTill() {
    return { options: ["--demo-relay", this.url], env: { POS_CONNECT_TILL_KEY: this.tillKey } };
  }

  /** Runs it before that service, for the pages of these origins and of the demo till. */
  async start({ baseUrl, clientId, clientSecret, tillUrl }, origins = []) {
    const pages = [new URL(tillUrl).origin, ...origins].flatMap((origin) => ["--origin", origin]);
    this.#program = new Program(
      pathFrom("POS_RELAY_BIN"),
      [
        ..."serve --json --creates-per-till=1000".split(" "),
        `--listen=${new URL(this.url).host}`,
        `--upstream=${baseUrl}`,
        `--client-id=${clientId}`,
        `--key-file=${join(this.#folder, "key")}`,
        ...pages,
        ...this.#database(),
      ],
      { env: { POS_CONNECT_CLIENT_SECRET: clientSecret } },
    );
    await this.#program.answers(`${this.url}/readyz`);
  }

  /** What every till of the merchant may know of its connection. */
  async connection() {
    const response = await this.#call("GET");
    return { status: response.status, body: await response.json() };
  }

  /** The merchant has no connection, whatever an earlier test has made. */
  async disconnect() {
    assert.equal((await this.#call("DELETE")).status, 204);
  }

  #call(method) {
    return fetch(`${this.url}/connection`, { method, headers: { authorization: `Bearer ${this.tillKey}` } });
  }

  /** An orderly end; gives its log. */
  async stop() {
    const end = await this.#program?.stop();
    assert.equal(end ?? 0, 0, `The relay ended with ${end}.`);
    return this.#program?.output ?? "";
  }

  #database() {
    return ["--database", `sqlite://${join(this.#folder, "relay.db")}`];
  }
}

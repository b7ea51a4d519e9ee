import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { becomes, eventually, LIMIT } from "./wait.js";

// Whatever ends the tests early ends what they started too.
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const listens = (socket) =>
  once(socket, "listening").then(
    () => true,
    () => false,
  );

/**
 * A random port where nobody listens, below 32,768. From there on, operating systems give ports to connections that
 * leave the machine, and would take this one before the program listens. No other test gets it until this process ends:
 * the UDP port 32,768 above stands for it, also in `workbench/src/port.rs`.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const claim = createSocket("udp4");
    if (!(await listens(claim.bind({ port: port + 32_768, address: "127.0.0.1", exclusive: true })))) continue;
    claim.unref();
    const server = createServer().listen(port, "127.0.0.1");
    if (!(await listens(server))) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** For `rm` of a folder into which a browser that has just ended may still write for a while. */
export const PATIENTLY = { recursive: true, force: true, maxRetries: 40 };

/** A program that runs beside the tests. What it prints is kept for the report of a failure. */
export class Program {
  output = "";
  #child;
  #exited;

  constructor(file, args, { env = {}, cwd } = {}) {
    const stdio = ["ignore", "pipe", "pipe"];
    this.#child = spawn(file, args, { stdio, env: { ...process.env, ...env }, cwd });
    running.add(this.#child);
    this.#exited = new Promise((resolve) => {
      this.#child.once("error", (error) => {
        this.output += `\n${error}`;
        resolve(null);
      });
      this.#child.once("exit", (code, signal) => resolve(code ?? signal));
    }).finally(() => running.delete(this.#child));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        this.output += text;
      });
    }
  }

  get pid() {
    return this.#child.pid;
  }

  /** Its exit code, or the signal that ended it, once it has ended. */
  get exited() {
    return this.#exited;
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined;
  }

  /** Waits until `probe` gives something; fails when the program ends before. */
  until(what, probe) {
    const look = async () => {
      const found = await probe();
      if (!found && !this.running) throw new Error(`The program ended before ${what}:\n${this.output}`);
      return found;
    };
    return eventually(look, () => `No ${what}:\n${this.output}`);
  }

  /** Ends it, and all that it started, when it prints `word`, and says `message`: what waits for it fails at once. */
  endAt(word, message) {
    const look = () => {
      if (!this.output.includes(word)) return;
      this.#child.stderr.off("data", look);
      console.log(message);
      endTree(this);
    };
    this.#child.stderr.on("data", look);
  }

  /** Waits until that address answers well. */
  async answers(url) {
    await this.until(`answer of ${url}`, async () => (await fetch(url).catch(() => null))?.ok);
  }

  /** Ends the program; gives its exit code, or the signal that ended it. */
  async stop(signal = "SIGTERM", timeout = LIMIT) {
    if (!this.running) return this.#exited;
    this.#child.kill(signal);
    const end = await Promise.race([this.#exited, sleep(timeout, "late", { ref: false })]);
    if (end !== "late") return end;
    this.#child.kill("SIGKILL");
    await this.#exited;
    throw new Error(`The program did not end within ${timeout} ms of ${signal}:\n${this.output}`);
  }
}

/** Ends a program and all that it started, and what that started, with SIGKILL; waits until they are gone. */
export async function endTree(program) {
  if (!program.running) return;
  const tree = [...descendants(program.pid), program.pid];
  // None may start another while the list is worked through.
  for (const signal of ["SIGSTOP", "SIGKILL"]) tree.forEach((pid) => send(pid, signal));
  await program.stop();
  await becomes(() => alive(tree).length, 0, "A killed process is still there.");
}

function processes() {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state]) => ({ pid: Number(pid), parent: Number(parent), state }));
}

function descendants(root) {
  const all = processes();
  const found = [root];
  for (const parent of found) found.push(...all.filter((one) => one.parent === parent).map((one) => one.pid));
  return found.slice(1);
}

// A zombie waits for its parent to ask after it; it holds nothing any more.
function alive(pids) {
  return processes().filter(({ pid, state }) => pids.includes(pid) && !state.startsWith("Z"));
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

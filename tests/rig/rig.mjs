// What the browser tests talk to: the real service, a merchant who signs in over plain HTTP, connect pages of every
// temper, and answers that no page sees. Started by `cargo xtask test`: prints `ready`, and runs until its standard input ends.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { decide } from "./merchant.mjs";
import { framePage } from "./frame.mjs";

// Counted from the page's own, because the tests run inside a page that can be told nothing.
const PAGE_PORT = Number(process.env.POS_TEST_PORT ?? fail("POS_TEST_PORT is not set"));
const RIG_PORT = PAGE_PORT + 1;
const OTHER_PORT = PAGE_PORT + 2;
const TEST_PAGE_ORIGIN = `http://127.0.0.1:${PAGE_PORT}`;
const service = process.env.POS_SERVICE_BIN ?? fail("POS_SERVICE_BIN is not set");

let stopping = false;
const folder = await mkdtemp(join(tmpdir(), "pos-connect-rig-"));
await mkdir(join(folder, "till"));
const database = `sqlite://${join(folder, "rig.db")}`;
const { settings, child } = await startService();
const stranger = await addVendor("https://elsewhere.example");

const servers = [RIG_PORT, OTHER_PORT].map((port) => createServer(answer).listen(port, "127.0.0.1"));
await Promise.all(
  servers.map((server) => new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject))),
);
console.log("ready");
process.stdin.resume().once("end", stop);

async function startService() {
  const options = ["serve", "--demo", "--json", "--listen", "127.0.0.1:0", "--till-listen", "127.0.0.1:0"];
  options.push(
    "--till",
    join(folder, "till"),
    "--database",
    database,
    "--interval-seconds",
    "1",
    "--creates-per-second",
    "100000",
    "--demo-origin",
    TEST_PAGE_ORIGIN,
  );
  const child = spawn(service, options, { stdio: ["ignore", "pipe", "ignore"] });
  // However the rig ends, its service ends with it.
  process.once("exit", () => child.kill());
  child.once("exit", (code) => stopping || fail(`the service ended with ${code}`));
  for await (const line of createInterface({ input: child.stdout })) return { settings: JSON.parse(line), child };
  return fail("the service said nothing");
}

async function addVendor(origin) {
  const options = ["vendor", "add", "--name", "Stranger", "--origin", origin, "--json", "--database", database];
  const { stdout } = await promisify(execFile)(service, options);
  const vendor = JSON.parse(stdout);
  return {
    clientId: vendor.clientId ?? fail("no clientId"),
    clientSecret: vendor.clientSecret ?? fail("no clientSecret"),
  };
}

async function answer(request, response) {
  try {
    const url = new URL(request.url, "http://rig");
    const [, first, second] = url.pathname.split("/");
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("cache-control", "no-store");
    if (first === "settings") return json(response, { ...settings, stranger });
    if (first === "frame") return framePage(second, url, response, OTHER_PORT);
    if (first === "merchant") return json(response, await decide(settings, url.searchParams));
    if (first === "broken") return broken(second, response);
    response.writeHead(404).end();
  } catch (error) {
    response.headersSent ? response.destroy() : response.writeHead(500).end(String(error?.stack ?? error));
  }
}

/** An answer that a browser keeps to itself. */
function broken(kind, response) {
  if (kind === "drop") return response.destroy();
  if (kind === "redirect") return response.writeHead(302, { location: "/settings" }).end();
  if (kind === "hidden") response.removeHeader("access-control-allow-origin");
  const body = JSON.stringify({ success: true, integrationToken: "itk", interval: 1 });
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  if (kind !== "cut") return response.end(body);
  response.write(body.slice(0, 20), () => response.destroy());
}

function json(response, value) {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
}

async function stop() {
  stopping = true;
  child.kill("SIGTERM");
  await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve()));
  await rm(folder, { recursive: true, force: true });
  process.exit(0);
}

function fail(message) {
  console.error(`rig: ${message}`);
  process.exit(1);
}

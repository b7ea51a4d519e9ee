// `cargo xtask bench` starts this: how long a till waits for its tokens once the merchant has consented, over a network
// with a known round trip, and what the vault adds to a pick-up.
import { createServer, request as send, Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../e2e/support/browser.js";
import { ConnectFrame } from "../e2e/support/connect-frame.js";
import { Service } from "../e2e/support/service.js";
import { listening } from "../e2e/support/way.js";
import { decide } from "../rig/merchant.mjs";
import { serve } from "./server.mjs";
import { median, range } from "./statistics.mjs";

const runs = Number(process.env.POS_RUNS ?? 7);
const ROUND_TRIP = 100; // ms, of every request; the page's own work does not depend on it
const SLACK = 50; // ms, for everything that is not the network
const INTERVAL = 5; // s between two status calls: what the service asks for unless told otherwise
const PICK_UPS = 20; // of each vault, in a run

const agent = new Agent({ keepAlive: true });
let finisher; // the service whose integrations /finish brings to an end

// Not isolated: the connect frame is of another origin.
const pages = await serve({ finish: async (_, query) => (await decide(finisher.settings, query)).state }, {});

/** A network before `target`: each request takes a round trip longer. Counts them by method. */
async function network(target) {
  const counts = {};
  const server = createServer(async (request, response) => {
    counts[request.method] = (counts[request.method] ?? 0) + 1;
    await sleep(ROUND_TRIP);
    const { headers, method } = request;
    const passed = send(
      new URL(request.url, target),
      { method, headers: { ...headers, host: new URL(target).host }, agent },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  await listening(server);
  return { server, origin: server.url, counts };
}

/** One way to the tokens: through the service itself, or through a relay. */
async function way(relay) {
  const service = await Service.start({ relay, interval: INTERVAL, origins: [pages.origin] });
  const { connectUrl, clientId, clientSecret, baseUrl } = service.settings;
  const net = await network(relay ? service.relay.url : baseUrl);
  const proof = relay ? { tillKey: service.relay.tillKey } : { clientSecret };
  return { service, net, options: { baseUrl: net.origin, connectUrl, clientId, ...proof } };
}

async function measure(window, { service, options }, hints) {
  await window.get(`${pages.origin}/connect.html`);
  await window.wait(() => window.executeScript("return window.ready"), 20_000, "The page never loaded.");
  await window.executeScript(
    `window.result = connect(arguments[0], arguments[1]).catch((error) => ({ error: String(error) }));
    window.result.then((result) => { window.settled = result; });`,
    options,
    { hints },
  );
  const frame = new ConnectFrame(window);
  await frame.signIn(service.settings.account);
  await frame.connect();
  const result = await window.wait(
    () => window.executeScript("return window.settled ?? null"),
    20_000,
    "No tokens came.",
  );
  if (result.error) throw new Error(result.error);
  return result;
}

/** The rows; gives those that miss their bar. */
async function connecting(window, ways) {
  console.log(
    `\n"finished" in the frame → tokens in hand, Chromium, ${ROUND_TRIP} ms of network for each request, ` +
      `status calls every ${INTERVAL} s; medians of ${runs} runs (their range)`,
  );
  console.log(
    "a round trip is what a bare call took in the same page just then; " +
      "without a hint the wait for the next status call comes first",
  );
  const missed = [];
  for (const [name, relay, bar] of [
    ["service, no preflights", false, 2],
    ["relay, with preflights", true, 4],
  ]) {
    for (const hints of [true, false]) {
      const results = [];
      for (let run = 0; run < runs; run += 1) results.push(await measure(window, ways[relay], hints));
      const counted = results.map(({ total, calls }) => (hints ? total : calls));
      const trips = results.map(({ roundTrip }, run) => counted[run] / roundTrip);
      const over = results.map(({ roundTrip }, run) => counted[run] - bar * roundTrip);
      const [middle, waited] = [median(counted), median(results.map((result) => result.waited))];
      const verdict = median(over) <= SLACK ? "within" : "MISSES";
      if (median(over) > SLACK) missed.push(`${name}, ${hints ? "hint" : "no hint"}`);
      const before = hints ? "" : `   after a wait of ${waited.toFixed(0)} ms`;
      const trip = median(results.map(({ roundTrip }) => roundTrip));
      console.log(
        `  ${`${name}, ${hints ? "hint" : "no hint"}`.padEnd(34)}${middle.toFixed(0).padStart(5)} ms = ` +
          `${median(trips).toFixed(1)} round trips (${range(trips, 1)}) of ${trip.toFixed(0)} ms, ` +
          `${verdict} ${bar} + ${SLACK} ms${before}`,
      );
    }
  }
  for (const relay of [false, true])
    console.log(`  requests of the ${relay ? "relay" : "service"}'s runs: ${JSON.stringify(ways[relay].net.counts)}`);
  return missed;
}

async function vaults(window, { service, options }) {
  finisher = service;
  await window.get(`${pages.origin}/connect.html`);
  await window.wait(() => window.executeScript("return window.ready"), 20_000, "The page never loaded.");
  const direct = { ...options, baseUrl: service.settings.baseUrl };
  const took = { memory: [], indexeddb: [] };
  // In turn, each first in every other pair. The first pair warms up.
  for (let pair = 0; pair <= PICK_UPS * runs; pair += 1) {
    for (const vault of pair % 2 ? ["memory", "indexeddb"] : ["indexeddb", "memory"]) {
      const ms = await window.executeAsyncScript(
        `const [options, vault, finish, done] = arguments;
        pickUp(options, vault, finish).then(done, (error) => done(String(error)));`,
        direct,
        vault,
        `${pages.origin}/finish`,
      );
      if (typeof ms !== "number") throw new Error(ms);
      if (pair > 0) took[vault].push(ms);
    }
  }
  const added = took.indexeddb.map((ms, index) => ms - took.memory[index]);
  console.log(
    `\nthe vault per pick-up, Chromium, medians of ${added.length} pairs: ` +
      `indexeddb ${median(took.indexeddb).toFixed(1)} ms, memory ${median(took.memory).toFixed(1)} ms, ` +
      `added ${median(added).toFixed(1)} ms (${range(added, 1)})`,
  );
}

const ways = { false: await way(false), true: await way(true) };
const { window, close } = await openBrowser();
let missed;
try {
  await window.manage().setTimeouts({ script: 60_000 });
  missed = await connecting(window, ways);
  await vaults(window, ways[false]);
} finally {
  await close();
  for (const { service, net } of Object.values(ways)) {
    net.server.closeAllConnections();
    net.server.close();
    await service.stop();
  }
  pages.close();
  agent.destroy();
}
if (missed.length) {
  console.error(`above the bar: ${missed.join("; ")}`);
  process.exit(1);
}

// `cargo xtask bench` starts this: how long a till waits for its tokens once the merchant has consented, over a network
// with a known round trip, and what the vault adds to a pick-up.
import { createServer, request as send, Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../e2e/support/browser.js";
import { ConnectFrame } from "../e2e/support/connect-frame.js";
import { Service } from "../e2e/support/service.js";
import { listening } from "../e2e/support/way.js";
import { decide } from "../rig/merchant.mjs";
import { AGAINST, OURS, packages, runs } from "./package.mjs";
import { serve } from "./server.mjs";
import { inTurn, median, range, ratio } from "./statistics.mjs";

const names = Object.keys(packages);
const ROUND_TRIP = 100; // ms, of every request; the page's own work does not depend on it
const SLACK = 50; // ms, for everything that is not the network
const INTERVAL = 5; // s between two status calls: what the service asks for unless told otherwise
// Of each vault and package, in a run. Each is a sign-in of the same merchant, and an account has some 300 at once.
const PICK_UPS = 5;

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

async function open(window, name) {
  await window.get(`${pages.origin}/connect.html?package=${name}`);
  await window.wait(() => window.executeScript("return window.ready"), 20_000, "The page never loaded.");
}

async function measure(window, name, { service, options }, hints) {
  await open(window, name);
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
  for (const [target, relay, bar] of [
    ["service, no preflights", false, 2],
    ["relay, with preflights", true, 4],
  ]) {
    for (const hints of [true, false]) {
      const results = Object.fromEntries(names.map((name) => [name, []]));
      for (let run = 0; run < runs; run += 1) {
        for (const name of inTurn(names, run)) results[name].push(await measure(window, name, ways[relay], hints));
      }
      const label = `${target}, ${hints ? "hint" : "no hint"}`;
      for (const name of names) {
        const isWithin = row(name === OURS ? label : `  ${name}`, results[name], bar, hints);
        if (name === OURS && !isWithin) missed.push(label);
      }
    }
  }
  for (const relay of [false, true])
    console.log(`  requests of the ${relay ? "relay" : "service"}'s runs: ${JSON.stringify(ways[relay].net.counts)}`);
  return missed;
}

/** Prints what one package took; gives whether that is within the bar. */
function row(label, results, bar, hints) {
  const counted = results.map(({ total, calls }) => (hints ? total : calls));
  const trips = results.map(({ roundTrip }, run) => counted[run] / roundTrip);
  const isWithin = median(results.map(({ roundTrip }, run) => counted[run] - bar * roundTrip)) <= SLACK;
  const waited = median(results.map((result) => result.waited)).toFixed(0);
  const trip = median(results.map(({ roundTrip }) => roundTrip)).toFixed(0);
  console.log(
    `  ${label.padEnd(34)}${median(counted).toFixed(0).padStart(5)} ms = ` +
      `${median(trips).toFixed(1)} round trips (${range(trips, 1)}) of ${trip} ms, ` +
      `${isWithin ? "within" : "MISSES"} ${bar} + ${SLACK} ms${hints ? "" : `   after a wait of ${waited} ms`}`,
  );
  return isWithin;
}

/** What the vault adds to a pick-up, for each package. */
async function vaults(window, { service, options }) {
  finisher = service;
  const direct = { ...options, baseUrl: service.settings.baseUrl };
  const took = Object.fromEntries(names.map((name) => [name, { memory: [], indexeddb: [] }]));
  for (let run = 0; run < runs; run += 1) {
    for (const name of inTurn(names, run)) {
      await open(window, name);
      // The first pair warms up.
      for (let pair = 0; pair <= PICK_UPS; pair += 1) {
        for (const vault of inTurn(["memory", "indexeddb"], pair)) {
          const ms = await pickUp(window, direct, vault);
          if (pair > 0) took[name][vault].push(ms);
        }
      }
    }
  }
  console.log("\nthe vault per pick-up, Chromium");
  for (const [name, { memory, indexeddb }] of Object.entries(took)) {
    const added = indexeddb.map((ms, index) => ms - memory[index]);
    console.log(
      `  ${name.padEnd(14)}medians of ${added.length} pairs: indexeddb ${median(indexeddb).toFixed(1)} ms, ` +
        `memory ${median(memory).toFixed(1)} ms, added ${median(added).toFixed(1)} ms (${range(added, 1)})`,
    );
  }
  if (!took[AGAINST]) return;
  console.log(`  ${OURS}: ${ratio(took[OURS].indexeddb, took[AGAINST].indexeddb)} of ${AGAINST}, with indexeddb`);
}

async function pickUp(window, options, vault) {
  const ms = await window.executeAsyncScript(
    `const [options, vault, finish, done] = arguments;
    pickUp(options, vault, finish).then(done, (error) => done(String(error)));`,
    options,
    vault,
    `${pages.origin}/finish`,
  );
  if (typeof ms !== "number") throw new Error(ms);
  return ms;
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

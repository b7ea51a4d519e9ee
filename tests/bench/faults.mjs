// `cargo xtask bench` starts this: the same faults for the outbox and for TanStack's offline transactions, and what
// became of each order. The server is one that keeps idempotency keys: an order that comes with a new key is a new one.
import { build } from "esbuild";
import { createServer } from "node:http";
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "../e2e/support/browser.js";
import { listening } from "../e2e/support/way.js";
import { OURS, packages, runs } from "./package.mjs";
import { fileIn, TYPES } from "./server.mjs";

const PEER = "tanstack";
const ORDERS = 4; // of a till, in each run
const PATIENCE = 30_000; // ms that a page may take to send what waits, and a page that is opened after it once more
const PAUSE = 100; // ms between two looks

const { outputFiles } = await build({
  stdin: {
    contents: 'export * from "@tanstack/offline-transactions"; export * from "@tanstack/db";',
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  format: "esm",
  minify: true,
  write: false,
});

/** A server with a page of its own, so that no two share a storage. `plan`: what becomes of an order's first calls. */
class Site {
  sales = {}; // how many there are of each external id
  #answers = new Map(); // by idempotency key
  #calls = {};
  mode = "up"; // or what becomes of every call: `cut`, `hang`

  async open(plan) {
    this.plan = plan;
    this.server = await listening(createServer((request, response) => this.#respond(request, response)));
    return this;
  }

  async #respond(request, response) {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/v1/orders") return this.#sell(request, response);
    const [, first, rest] = /^\/([^/]*)\/?(.*)$/.exec(pathname);
    const folder = packages[first];
    const body = pathname === "/peer.js"
      ? outputFiles[0].contents
      : await (folder ? fileIn(folder, rest) : fileIn(import.meta.dirname, pathname));
    response.writeHead(body ? 200 : 404, { "content-type": TYPES[extname(pathname)] ?? "text/plain" }).end(body ?? "");
  }

  async #sell(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const order = JSON.parse(Buffer.concat(chunks));
    const call = (this.#calls[order.externalId] = (this.#calls[order.externalId] ?? 0) + 1);
    const fault = this.mode === "up" ? this.plan[call - 1] : this.mode;
    if (typeof fault === "number") return response.writeHead(fault, { "retry-after": "1" }).end("{}");
    if (fault === "cut") return request.socket.destroy();
    const key = request.headers["idempotency-key"];
    if (!this.#answers.has(key)) {
      this.sales[order.externalId] = (this.sales[order.externalId] ?? 0) + 1;
      this.#answers.set(key, JSON.stringify({ success: true, order, receivedAt: "2026-11-23T00:00:00Z" }));
    }
    if (fault === "lose") return request.socket.destroy();
    if (fault !== "hang") response.writeHead(200, { "content-type": "application/json" }).end(this.#answers.get(key));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** The tabs of one till. */
class Till {
  constructor(window, site, name) {
    Object.assign(this, { window, site, url: `${site.server.url}/faults.html?${name}`, told: {}, ids: [], tabs: [] });
  }

  async openTab() {
    await this.window.switchTo().newWindow("tab");
    this.tabs.push(await this.window.getWindowHandle());
    await this.load();
  }

  async load() {
    await this.window.get(this.url);
    await this.window.wait(() => this.window.executeScript("return window.ready"), PATIENCE, "The till never loaded.");
  }

  async show(tab) {
    await this.window.switchTo().window(this.tabs[tab]);
  }

  async sell(tab) {
    await this.show(tab);
    const ids = Array.from({ length: ORDERS }, (_, index) => `${this.ids.length + index}`);
    this.ids.push(...ids);
    await this.window.executeScript("sell(arguments[0])", ids);
  }

  /** Sells while no call is answered, until the orders of the tab are on the disk. */
  async sellAndHold(tab) {
    await this.sell(tab);
    const holds = () => this.window.executeAsyncScript("holds(arguments[0]).then(arguments[1])", this.ids.length);
    await this.window.wait(holds, PATIENCE, "The till does not keep its orders.");
  }

  /** What each tab that is open has been told by now. */
  async listen() {
    for (const tab of this.tabs) {
      await this.window.switchTo().window(tab);
      Object.assign(this.told, await this.window.executeScript("return told"));
    }
  }

  async closeTab(tab) {
    await this.listen();
    await this.show(tab);
    await this.window.close();
    this.tabs.splice(tab, 1);
    await this.window.switchTo().window(this.tabs[0] ?? this.home);
  }

  /** Waits until each order has arrived or was said to have failed, as long as there is patience. */
  async settled() {
    for (const end = Date.now() + PATIENCE; Date.now() < end; await sleep(PAUSE)) {
      await this.listen();
      if (this.ids.every((id) => this.site.sales[id] || this.told[id] === "failed")) return;
    }
  }
}

/** `plan`: the first calls of each order; `play`: what happens beside it. */
const FAULTS = {
  "the network is cut in flight": { plan: ["cut"] },
  "the response is lost": { plan: ["lose"] },
  "500 twice": { plan: [500, 500] },
  "429 twice": { plan: [429, 429] },
  "the page reloads before the response": {
    async play(till) {
      till.site.mode = "hang";
      await till.sellAndHold(0);
      till.site.mode = "up";
      await till.load();
    },
  },
  "sold offline, the tab is closed, and opened later": {
    async play(till) {
      till.site.mode = "cut";
      await till.sellAndHold(0);
      await till.closeTab(0);
      till.site.mode = "up";
      await till.openTab();
    },
  },
  "two tabs sell while the network is down": {
    async play(till) {
      await till.openTab();
      till.site.mode = "cut";
      await till.sellAndHold(0);
      await till.sellAndHold(1);
      till.site.mode = "up";
    },
  },
  "two tabs sell, and each response is lost": {
    plan: ["lose"],
    async play(till) {
      await till.openTab();
      await till.sell(0);
      await till.sell(1);
    },
  },
  "the tab that has orders is closed, another stays": {
    async play(till) {
      await till.openTab();
      till.site.mode = "cut";
      await till.sellAndHold(0);
      await till.closeTab(0);
      till.site.mode = "up";
    },
  },
};

const OUTCOMES = [
  "once",
  "once, after a reload",
  "once, told failed",
  "not there, told failed",
  "not there",
  "doubled",
];

/** What became of the orders of one till. */
async function outcomes(window, name, { plan = [], play = (till) => till.sell(0) }) {
  const till = new Till(window, await new Site().open(plan), name);
  till.home = await window.getWindowHandle();
  await till.openTab();
  await play(till);
  await till.settled();
  const early = { ...till.site.sales };
  // Whoever forgot an order has one more page to find it.
  await till.openTab();
  await till.settled();
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
  for (const id of till.ids) counts[outcomeOf(till.site.sales[id] ?? 0, early[id], till.told[id] === "failed")] += 1;
  while (till.tabs.length > 0) await till.closeTab(0);
  till.site.close();
  return counts;
}

function outcomeOf(sales, early, isFailed) {
  if (sales > 1) return "doubled";
  if (sales === 0) return isFailed ? "not there, told failed" : "not there";
  if (isFailed) return "once, told failed";
  return early ? "once" : "once, after a reload";
}

const { window, close } = await openBrowser();
const missed = [];
try {
  console.log(`\norders behind faults, Chromium, ${runs} runs of ${ORDERS} orders a tab`);
  for (const [fault, steps] of Object.entries(FAULTS)) {
    for (const name of [OURS, PEER]) {
      const sum = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
      for (let run = 0; run < runs; run += 1) {
        const counts = await outcomes(window, name, steps);
        for (const outcome of OUTCOMES) sum[outcome] += counts[outcome];
      }
      const said = OUTCOMES.filter((outcome) => sum[outcome] > 0).map((outcome) => `${sum[outcome]} ${outcome}`);
      console.log(`  ${fault.padEnd(52)}${name.padEnd(14)}${said.join(", ")}`);
      if (name === OURS && OUTCOMES.slice(1).some((outcome) => sum[outcome] > 0)) missed.push(fault);
    }
  }
} finally {
  await close();
}
for (const fault of missed) console.log(`MISSES each order once: ${fault}`);
if (missed.length) process.exitCode = 1;

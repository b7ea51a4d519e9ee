// `cargo xtask bench` starts this: what it costs to keep an order, beside a bare write of the same bytes, and how long
// a long queue takes to be sent.
import { openBrowser } from "../e2e/support/browser.js";
import { listening } from "../e2e/support/way.js";
import { serve } from "./server.mjs";
import { createServer } from "node:http";
import { median, range } from "./statistics.mjs";

const runs = Number(process.env.POS_RUNS ?? 7);
const ORDERS = 100; // of each run
const QUEUE = 10_000;
const BAR = 10; // ms to keep one

const arrived = []; // external ids, in their order
const keys = new Set();
let expected = 0;

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-max-age": "600",
};
const service = createServer((request, response) => {
  if (request.method === "OPTIONS") return response.writeHead(204, CORS).end();
  let text = "";
  request.on("data", (part) => (text += part));
  request.on("end", () => {
    const order = JSON.parse(text);
    arrived.push(order.externalId);
    keys.add(request.headers["idempotency-key"]);
    const body = JSON.stringify({ success: true, order, receivedAt: "2026-11-23T00:00:00Z" });
    response.writeHead(200, { "content-type": "application/json", ...CORS }).end(body);
  });
});
const { url: baseUrl } = await listening(service);
const pages = await serve({ left: () => String(expected - arrived.length) });
const { window, close } = await openBrowser();

const call = (name, ...values) =>
  window
    .executeAsyncScript(
      `const [name, values, done] = arguments;
      window[name](...values).then(done, (error) => done(String(error)));`,
      name,
      values,
    )
    .then((result) => {
      if (typeof result === "string") throw new Error(result);
      return result;
    });

const missed = [];
try {
  await window.manage().setTimeouts({ script: 600_000 });
  await window.get(`${pages.origin}/outbox.html`);
  await window.wait(() => window.executeScript("return window.ready"), 20_000, "The page never loaded.");
  await call("cut", baseUrl);
  await call("bare", ORDERS);
  await call("keep", 0, ORDERS);
  const [kept, bare] = [[], []];
  expected = ORDERS;
  for (let run = 0; run < runs; run += 1) {
    bare.push(median(await call("bare", ORDERS)));
    kept.push(median(await call("keep", expected, ORDERS)));
    expected += ORDERS;
  }
  const ratios = kept.map((ms, run) => ms / bare[run]);
  const verdict = median(kept) <= BAR ? "within" : "MISSES";
  if (median(kept) > BAR) missed.push("keeping an order");
  console.log(
    `\nan order kept, Chromium, medians of ${runs} runs of ${ORDERS} (their range): ${median(kept).toFixed(1)} ms ` +
      `(${range(kept, 1)}), ${verdict} ${BAR} ms; a bare durable write of the same bytes ` +
      `${median(bare).toFixed(1)} ms; ratio ${median(ratios).toFixed(1)} (${range(ratios, 1)})`,
  );
  const last = [];
  while (expected < QUEUE) {
    const count = Math.min(500, QUEUE - expected);
    last.push(median(await call("keep", expected, count)));
    expected += count;
  }
  const took = await call("drain");
  const inOrder = arrived.every((id, at) => id === `order-${at}`);
  if (arrived.length !== QUEUE || keys.size !== QUEUE || !inOrder) missed.push("each order once, in order");
  console.log(
    `the last 500 of ${QUEUE} orders in the queue: ${last.at(-1).toFixed(1)} ms each\n` +
      `${QUEUE} queued orders sent one after the other: ${(took / 1000).toFixed(1)} s, ` +
      `${Math.round(QUEUE / (took / 1000))} a second; ${arrived.length} arrived, ${keys.size} keys, ` +
      (inOrder ? "in order" : "OUT OF ORDER"),
  );
} finally {
  await close();
  pages.close();
  service.closeAllConnections();
  service.close();
}
if (missed.length) {
  console.error(`above the bar: ${missed.join("; ")}`);
  process.exit(1);
}

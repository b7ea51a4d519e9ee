// @engines chromium: no browser is opened
// What the kit does with answers that no service should give.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Client, Fault } from "../../conformance/client.js";

let answer, client, server;
before(async () => {
  server = createServer((request, response) => answer(response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  client = new Client(`http://127.0.0.1:${server.address().port}`);
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test("an answer without an end is given up", { timeout: 120_000 }, async () => {
  let sent = 0;
  answer = (response) => {
    const more = () => {
      sent += 1;
      if (!response.destroyed) response.write(Buffer.alloc(1 << 16), more);
    };
    more();
  };
  await assert.rejects(client.call("GET", "/"), (error) => error instanceof Fault && /1 MiB/.test(error.message));
  assert.equal(client.exchanges.at(-1).came, "the answer is longer than 1 MiB");
  assert.ok(sent < 1000, `${sent} pieces were taken`);
});

test("a call that came too soon is repeated after a second at least", async () => {
  const times = [];
  answer = (response) => {
    times.push(performance.now());
    response.writeHead(times.length === 1 ? 429 : 200, { "retry-after": "-5" }).end("{}");
  };
  assert.equal((await client.call("GET", "/")).status, 200);
  // Timers may be a little early.
  assert.ok(times[1] - times[0] > 990, `after ${times[1] - times[0]} ms`);
});

test("of a media type, only a known one is shown", async () => {
  for (const [type, shown] of [
    ["Application/JSON; charset=utf-8", "application/json"],
    ["application/secret+json", "another type, +json"],
    ["secret/json", "another type"],
  ]) {
    answer = (response) => response.writeHead(200, { "content-type": type }).end("{}");
    assert.equal((await client.call("GET", "/")).record.type, shown);
  }
});

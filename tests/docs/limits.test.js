// @tier first
// @engines chromium: no browser is opened
// Limits and words that pages give in sentences and tables are those of the constants and types in Rust.
import assert from "node:assert/strict";
import { test } from "node:test";
import { membersOf, wordsOfMember } from "./declarations.js";
import { codesOf, pages, proseOf, tables, text } from "./pages.js";

const all = await pages();
const page = (path) => all.find((one) => one.path === path);
/** The one table of a page whose head begins with this. */
const tableOf = (path, head) => {
  const found = tables(page(path)).filter((table) => table.head[0] === head);
  assert.equal(found.length, 1, `${path}: ${head}`);
  return found[0];
};

/** Where each limit is decided, its value there, and the sentences that give it. */
const LIMITS = [
  ["src/http/http.rs", "CALL_TIMEOUT_MS", "10_000.0", [/longer than 10 s \(the token call/, "docs/errors.md"]],
  ["src/http/http.rs", "TOKEN_CALL_TIMEOUT_MS", "30_000.0", [/\(the token call: 30 s\)/, "docs/errors.md"]],
  ["src/orders/queued_order.rs", "MOST_ORDERS", "10_000", [/10,000 orders or/, "docs/offline.md"]],
  ["src/orders/queued_order.rs", "MOST_QUEUED_BYTES", "32 << 20", [/32 MiB wait/, "docs/offline.md"]],
  ["src/orders/queued_order.rs", "MOST_REFUSED", "1_000", [/1,000 were refused/, "docs/offline.md"]],
  ["src/orders/queued_order.rs", "PATIENCE_MS", "3_000.0", [/\b3 seconds\b/, "docs/offline.md", "docs/orders.md"]],
  ["src/orders/queued_order.rs", "FIRST_REST_MS", "1_000.0", [/after 1, 2, 4, … 60 seconds/, "docs/offline.md"]],
  ["src/orders/queued_order.rs", "LONGEST_REST_MS", "60_000.0", [/after 1, 2, 4, … 60 seconds/, "docs/offline.md"]],
  ["src/orders/queued_order.rs", "LONGEST_RETRY_AFTER_MS", "10.0 * 60_000.0", [/up to 10 minutes/, "docs/offline.md"]],
  ["protocol/src/order.rs", "LONGEST_NAME", "200", [/a name of 1 to 200 characters/, "docs/orders.md"]],
  ["protocol/src/order.rs", "LONGEST_UNIT", "20", [/such as `kg`: 1 to 20 characters/, "docs/orders.md"]],
  ["protocol/src/customer.rs", "MAX_CUSTOMERS", "1000", [/(?:up to|at most) 1,000 customers/, "docs/orders.md"]],
  [
    "service/src/store/repeatable.rs",
    "KEPT",
    "Duration::from_secs(48 * 60 * 60)",
    [/48 hours/, "docs/orders.md", "docs/database.md"],
  ],
  ["service/src/store/kept_order.rs", "MOST_ERECEIPTS", "10", [/up to 10 in all/, "docs/orders.md"]],
  ["service/src/retry.rs", "MOST_ATTEMPTS", "80", [/80 attempts/, "docs/messages.md"]],
];

for (const [path, name, value, [sentence, ...told]] of LIMITS) {
  test(`${name} is what the pages say`, async () => {
    const [, found] = new RegExp(`const ${name}: \\w+ = ([^;]+);`).exec(await text(path)) ?? [];
    assert.equal(found, value, `${path}: ${name} is not ${value}: change LIMITS and the pages, too: ${told}`);
    const missing = told.filter((one) => !sentence.test(proseOf(page(one)).replaceAll(/\s+/g, " ")));
    assert.deepEqual(missing, [], `these pages have no ${sentence}, which stands for ${name}`);
  });
}

test("the options of orders.send are those of its table", () => {
  const { head, rows } = tableOf("docs/orders.md", "option of `orders.send`");
  assert.equal(head[1], "default");
  const members = membersOf("SendOrderOptions");
  const told = rows.flatMap(([cell]) => codesOf(cell));
  assert.deepEqual(told.sort(), [...members.keys()].sort());
  for (const [cell, preset] of rows) {
    const [name] = codesOf(cell);
    assert.ok(members.get(name).isOptional, name);
    assert.equal(codesOf(preset)[0], members.get(name).preset, name);
  }
});

test("the states of an order in the outbox are those of their table", () => {
  const { rows } = tableOf("docs/offline.md", "`state`");
  const told = rows.flatMap(([cell]) => codesOf(cell));
  assert.deepEqual(told.sort(), wordsOfMember("OutboxChange", "state").sort());
});

test("the webhooks are those that the service sends, with their reasons", async () => {
  const source = await text("service/src/store/event.rs");
  const kinds = new Map(
    [...source.matchAll(/Self::(\w+)(?:\(_\))? => "([a-z_.]+)"/g)].map(([, name, kind]) => [kind, name]),
  );
  const { rows } = tableOf("docs/back-end.md", "type");
  const told = new Map(rows.map(([type, , reason]) => [codesOf(type)[0], codesOf(reason).sort()]));
  assert.deepEqual([...told.keys()].sort(), [...kinds.keys()].sort());
  const statuses = await text("protocol/src/status.rs");
  const [, asserted] = /words, \[("merchant"[^\]]*)\]/.exec(statuses);
  assert.deepEqual(
    told.get("integration.cancelled"),
    [...asserted.matchAll(/"(\w+)"/g)].map(([, word]) => word).sort(),
  );
  // The words of `Revoked` are in its comment, and each is used where tokens end.
  const [, revoked] = /by whom, ([^.]*)\.\n\s+Revoked/.exec(source);
  const words = codesOf(revoked).sort();
  assert.deepEqual(told.get("connection.revoked"), words);
  const used = (await Promise.all(ENDS.map((path) => text(path)))).join("\n");
  const ends = [...used.matchAll(/(?:\bend\([^;]*?|Revoked\()"([a-z]+)"/g)].map(([, word]) => word);
  assert.deepEqual([...new Set(ends)].sort(), words);
  for (const [kind, reasons] of told) assert.equal(reasons.length > 0, /\.(?:cancelled|revoked)$/.test(kind), kind);
});

const ENDS = ["token_set", "connection", "revocation", "event"].map((name) => `service/src/store/${name}.rs`);

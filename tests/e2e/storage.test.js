// @engines chromium: it opens no browser
// @needs postgres
// The storage of docs/back-end.md, as it stands there, in PostgreSQL.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import pg from "pg";
import { eventually } from "./support/wait.js";

const page = await readFile(new URL("../../docs/back-end.md", import.meta.url), "utf8");
const [, code] = /^```js\n(export const postgresStorage .*?)^```$/ms.exec(page);
const [, table] = /`(CREATE TABLE pos_connect [^`]*)`/.exec(page);
const { postgresStorage } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
const reversed = async (text) => [...text].reverse().join("");
const cipher = { encrypt: reversed, decrypt: reversed };

const schema = `back_end_${process.pid}`;
/** Two processes of a back end, as the database sees them. */
const pools = [];
let storages;
before(async () => {
  const address = process.env.POS_TEST_POSTGRES;
  assert.ok(address, "POS_TEST_POSTGRES is not set.");
  for (let index = 0; index < 2; index += 1)
    pools.push(
      new pg.Pool({
        connectionString: address,
        options: `-c search_path=${schema}`,
        application_name: schema,
        max: 4,
      }),
    );
  await pools[0].query(`CREATE SCHEMA ${schema}`);
  await pools[0].query(table);
  storages = pools.map((pool) => postgresStorage(pool, cipher));
});
after(() => Promise.all(pools.map((pool) => pool.end())));

test("one process at a time has the lock, however many want it", async () => {
  const add = (index) =>
    storages[index % 2].locked("bakery-17", async (value, save) => {
      await save({ count: (value?.count ?? 0) + 1 });
    });
  await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
  assert.deepEqual(await storages[1].load("bakery-17"), { count: 20 });
  assert.equal(await storages[1].load("bakery-18"), null);
});

test("what is saved is there before the lock ends, and stays when `work` fails", async () => {
  const work = async (value, save) => {
    await save({ tokens: "first" });
    assert.deepEqual(await storages[1].load("bakery-19"), { tokens: "first" });
    throw new Error("The service did not answer.");
  };
  await assert.rejects(storages[0].locked("bakery-19", work), { message: "The service did not answer." });
  assert.deepEqual(await storages[1].locked("bakery-19", async (value) => value), { tokens: "first" });
});

test("a database that goes away while the lock is held fails the call, and ends no process", async () => {
  const work = async (_, save) => {
    const holders = "FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'";
    const ours = `${holders} AND application_name = '${schema}'`;
    await pools[1].query(`SELECT pg_terminate_backend(pid) ${ours}`);
    const isGone = async () => (await pools[1].query(`SELECT pid ${ours}`)).rows.length === 0;
    await eventually(isGone, "The lock's holder did not end.");
    await save({ tokens: "lost" });
  };
  await assert.rejects(storages[0].locked("bakery-20", work), /terminat|closed|not queryable/i);
  assert.equal(await storages[0].locked("bakery-20", async (value) => value), null);
});

test("what lies in the table went through `encrypt`", async () => {
  const { rows } = await pools[0].query("SELECT value FROM pos_connect");
  assert.ok(rows.length > 0);
  for (const { value } of rows) assert.doesNotMatch(value, /"count"|"tokens"/);
});

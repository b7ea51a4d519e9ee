// The shoppers' numbers of 50 waiting orders are in no file of the profile, nor in what opens with the browser's own
// key.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { filesWith } from "./support/disk.js";
import { until, world } from "./support/world.js";

const tabs = world();
const KEYS = "GET /v1/keys";
const SHOPPERS = 50;

/** So many numbers that stand nowhere yet, without the code of their country. */
const randomNumbers = (count) => Array.from({ length: count }, () => `52${randomInt(2_000_000, 10_000_000)}`);

/** A number as text, and as the values of its digits. */
const forms = (number) => [number, Buffer.from([...number].map(Number)).toString("latin1")];

/** A till whose shoppers' orders wait, because the service does not answer. */
async function waiting(numbers, options) {
  const service = await tabs.forwarder(options);
  const [tab] = await tabs.keptTabs(1);
  await tab.ok("watchWrites");
  await tab.use(service);
  await tabs.consent(await tab.ok("create"));
  const { accessToken } = await tab.ok("fetchTokens");
  await tab.use(service, { accessToken });
  if (!options?.keyless)
    await until("the key in the page", async () => {
      const [probe] = randomNumbers(1);
      await tab.ok("sell", `probe ${probe}`, `+972${probe}`);
      return service.bodies.at(-1)?.includes('"sealed"');
    });
  await until("the probes are sent", async () => (await tab.ok("outbox")).length === 0);
  service.cuts.set("POST /v1/orders", "before");
  await tab.ok(
    "sellAll",
    numbers.map((number, at) => [`order ${at}`, `+972${number}`]),
  );
  assert.equal((await tab.ok("outbox")).length, numbers.length);
  return { service, tab, accessToken };
}

/** Which of the numbers a text has. */
const within = (texts, numbers) => numbers.filter((number) => texts.some((text) => text.includes(number)));

tabs.test("a thief of the disk opens what is stored, and finds no number of a shopper whose order waits", async () => {
  const numbers = randomNumbers(SHOPPERS);
  const { service, tab, accessToken } = await waiting(numbers);
  assert.deepEqual(service.answers(KEYS), [200]);
  service.bodies.length = 0;
  assert.deepEqual(within(await tab.ok("written"), numbers), [], "A number was written, if only for a while.");
  // Firefox compresses what it stores, and may tear one number; not three.
  const canaries = randomNumbers(3);
  for (const canary of canaries) await tab.ok("storePlain", canary);
  await tabs.killBrowser();
  assert.notDeepEqual(await filesWith(tabs.profile, ...canaries), [], "The search would not find a number.");
  const found = await filesWith(tabs.profile, ...numbers.flatMap(forms));
  assert.deepEqual(found, [], "A number is in the profile.");
  // The thief needs no key of his own: the browser has it, and a page of the origin may use it.
  const thief = await tabs.reopenBrowser();
  const opened = await thief.ok("openVault");
  assert.equal(opened.filter((text) => text.includes('"externalId"')).length, SHOPPERS);
  assert.deepEqual(within(opened, numbers), [], "A number is in what the thief opens.");
  // The service reads them.
  service.cuts.clear();
  await thief.use(service, { accessToken });
  await until("the orders leave the outbox", async () => (await thief.ok("outbox")).length === 0);
  // The demo shows the newest ones only.
  const ends = numbers.map((number) => number.slice(-4));
  const sent = async () => (await tabs.service.messages()).map(({ to }) => ends.includes(to.slice(-4)));
  await until("their messages", async () => (await sent()).every(Boolean));
  assert.equal(new Set(service.bodies.map((body) => JSON.parse(body).ereceipt.sealed.enc)).size, SHOPPERS);
  assert.deepEqual(within(service.bodies, numbers), [], "A number was sent as it is.");
});

tabs.test("without a key of the service, a thief reads the number: the search above would see one", async () => {
  const numbers = randomNumbers(1);
  const { tab } = await waiting(numbers, { keyless: true });
  assert.deepEqual(within(await tab.ok("written"), numbers), numbers);
  await tabs.killBrowser();
  const thief = await tabs.reopenBrowser();
  assert.deepEqual(within(await thief.ok("openVault"), numbers), numbers);
});

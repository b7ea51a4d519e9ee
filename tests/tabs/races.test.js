// Two and five tabs at once; the one that has the lock is closed or reloaded while its call is in the air.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { same } from "./support/steps.js";
import { failed, valued } from "./support/tab.js";
import { until, world } from "./support/world.js";

const tabs = world();

/** `count` tabs on one service; the first has created the integration, the merchant has consented. */
async function crowd(count, { service: behavior, page } = {}) {
  const service = await tabs.forwarder(behavior);
  const all = [];
  for (let index = 0; index < count; index += 1) all.push(await (await tabs.tab()).use(service, page));
  const token = await all[0].ok("create");
  await tabs.consent(token);
  return { service, all };
}

/** What they fetched: all the same, and live. */
async function agree(results) {
  const sets = results.map((result) => valued("resumeAndFetch", result));
  for (const set of sets) assert.ok(set && same(set, sets[0]), "Two tabs have different tokens, or one has none.");
  assert.ok(await tabs.isLive(sets[0]), "The service does not take the token.");
}

async function ends(all, key) {
  const results = [];
  for (const tab of all) results.push(await tab.end(key));
  return results;
}

/** The first tab asks, and its call stops there; the others wait for its lock. */
async function queue(all, service, at) {
  const stop = service.stop("token", at);
  await all[0].begin("fetch", "resumeAndFetch");
  await stop.reached();
  service.isSilent = true;
  for (const tab of all.slice(1)) await tab.begin("fetch", "resumeAndFetch");
  await until("the others wait for the lock", async () => {
    const { held, pending } = await all[0].ok("locks");
    return held === 1 && pending === all.length - 1;
  });
  service.isSilent = false;
  return stop;
}

tabs.test("5 tabs resume and fetch at once: one call, one set for all", async () => {
  const { service, all } = await crowd(5);
  await all.at(-1).everywhere("race", "resumeAndFetch");
  await agree(await ends(all, "race"));
  assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
});

tabs.test("5 tabs that all hand over: one call; who comes later hears that it is done", async () => {
  const { service, all } = await crowd(5, { page: { persist: "keep" } });
  await all[0].everywhere("race", "resumeAndFetch");
  const handed = [];
  for (const result of await ends(all, "race")) {
    if (result.error) assert.equal(failed("resumeAndFetch", result).code, "tokens_already_retrieved");
    else if (result.value) handed.push(result.value);
  }
  assert.ok(handed.length > 0, "No tab has the tokens.");
  await until("the hand-over", async () => !(await all[0].ok("unfinished")));
  for (const tab of all) handed.push(...(await tab.ok("handed")));
  for (const set of handed) assert.ok(same(set, handed[0]), "Two sets are about.");
  assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
  assert.ok(await tabs.isLive(handed[0]), "The service does not take the token.");
});

tabs.test(
  "the tab that asks is closed before the service saw its call: another asks, all others have its set",
  async () => {
    const { service, all } = await crowd(3);
    await queue(all, service, "before");
    await tabs.close(all.shift());
    await agree(await ends(all, "fetch"));
    assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
  },
);

tabs.test("the tab that asks is closed before it saw the answer: another has it reissued, once", async () => {
  const { service, all } = await crowd(3);
  await queue(all, service, "after");
  await tabs.close(all.shift());
  await agree(await ends(all, "fetch"));
  assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200, 410], [200]]);
});

tabs.testInChromium(
  "the same with a service without pickup_id: all others hear tokens_lost from one call",
  async () => {
    const { service, all } = await crowd(3, { service: { plain: true } });
    await queue(all, service, "after");
    await tabs.close(all.shift());
    const codes = [];
    for (const result of await ends(all, "fetch")) codes.push(failed("resumeAndFetch", result).code);
    assert.deepEqual(codes, ["tokens_lost", "tokens_lost"]);
    assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200, 410], []]);
  },
);

tabs.test("the page that asks is reloaded: it goes on beside the others", async () => {
  const { service, all } = await crowd(3);
  await queue(all, service, "before");
  await all[0].reload();
  await all[0].use(service);
  await all[0].begin("fetch", "resumeAndFetch");
  await agree(await ends(all, "fetch"));
  assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
});

tabs.test("a tab that waits for the answer is none the worse for the others' end", async () => {
  const { service, all } = await crowd(3);
  const stop = await queue(all, service, "before");
  for (const tab of all.splice(1)) await tabs.close(tab);
  stop.release();
  await agree(await ends(all, "fetch"));
  assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
});

tabs.testInChromium("a tab that still has an integration which another has handed over does not ask", async () => {
  const {
    service,
    all: [first, second],
  } = await crowd(2);
  await second.ok("resume");
  const tokens = await first.ok("fetchTokens");
  await first.ok("acknowledgeTokens");
  assert.equal((await second.fails("fetchTokens")).code, "tokens_already_retrieved");
  assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
  assert.ok(await tabs.isLive(tokens), "The service does not take the token any more.");
});

tabs.testInChromium(
  "a tab that fetched the tokens repeats them at most, without a call, once another has handed them over",
  async () => {
    const {
      service,
      all: [first, second],
    } = await crowd(2);
    const tokens = await first.ok("resumeAndFetch");
    await second.ok("resumeAndFetch");
    await first.ok("acknowledgeTokens");
    assert.equal((await first.fails("fetchTokens")).code, "tokens_already_retrieved");
    await second.begin("repeat", "fetchTokens");
    const repeat = await second.end("repeat");
    if (repeat.error) assert.equal(repeat.error.code, "tokens_already_retrieved");
    else assert.ok(same(repeat.value, tokens), "Another set.");
    assert.deepEqual([service.answers("token"), service.answers("reissue")], [[200], []]);
  },
);

tabs.testInChromium(
  "two tabs hand over at once: both are told that it is done, once at the relay or twice",
  async () => {
    const { service, all } = await crowd(2, { service: { relay: true } });
    for (const tab of all) await tab.ok("resumeAndFetch");
    await all[1].everywhere("race", "acknowledgeTokens");
    for (const result of await ends(all, "race")) valued("acknowledgeTokens", result);
    for (const tab of all) assert.equal(await tab.ok("resume"), null);
    assert.deepEqual(service.answers("token"), [200]);
    assert.match(String(service.answers("acknowledge")), /^204(,204)?$/);
  },
);

tabs.test(
  "tabs that close at any moment: who is left has a live set, and the token call was answered 200 once",
  async () => {
    for (const rest of [0, 15, 50]) {
      const { service, all } = await crowd(3);
      await all.at(-1).everywhere("race", "resumeAndFetch");
      for (const tab of all.splice(0, 2)) {
        await sleep(rest);
        await tabs.close(tab);
      }
      await agree(await ends(all, "race"));
      assert.equal(service.answers("token").filter((status) => status === 200).length, 1);
    }
  },
);

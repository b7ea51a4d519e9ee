// A rival browser, `forget`, `vault: "memory"`; no token, pickup id or secret is in the files of the profile.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { filesWith } from "./support/disk.js";
import { same } from "./support/steps.js";
import { DRIVER_KEEPS_PROFILE, world } from "./support/world.js";

const tabs = world();

/** A page with a token set that nobody acknowledged. */
async function fetched(options, opened) {
  const service = await tabs.forwarder();
  const tab = await (opened ?? (await tabs.tab())).use(service, options);
  const token = await tab.ok("create");
  await tabs.consent(token);
  return { service, tab, token, tokens: await tab.ok("fetchTokens") };
}

tabs.test("nothing of ours is in localStorage, sessionStorage, cookies or caches", async () => {
  const { tab } = await fetched();
  const storage = await tab.ok("storage");
  assert.deepEqual(storage.databases, ["pos-connect"]);
  assert.deepEqual({ ...storage, databases: [] }, { local: [], session: [], cookies: "", caches: [], databases: [] });
});

tabs.testInChromium(
  "another browser with the integration is a rival: the second gets tokens_already_retrieved, and reissues nothing",
  async () => {
    const { service, tab, token, tokens } = await fetched();
    const other = await tabs.otherBrowser();
    const same = await tabs.forwarder({ created: service.created });
    const rival = await (await tabs.tab(other.window)).use(same);
    assert.ok((await rival.ok("create")) === token, "The rival has another integration.");
    const { code, retryable } = await rival.fails("fetchTokens");
    assert.deepEqual({ code, retryable }, { code: "tokens_already_retrieved", retryable: false });
    assert.deepEqual([same.answers("token"), same.answers("reissue")], [[410], []]);
    assert.equal(await rival.ok("resume"), null);
    await tab.ok("acknowledgeTokens");
    assert.ok(await tabs.isLive(tokens), "The service does not take the first one's token any more.");
  },
);

tabs.testInChromium('vault: "memory": a reload takes everything with it, and nothing is written', async () => {
  const { service, tab } = await fetched({ vault: "memory" });
  assert.equal(await tab.ok("unfinished"), true);
  await tab.reload();
  await tab.use(service, { vault: "memory" });
  assert.equal(await tab.ok("resume"), null);
  assert.equal(await tab.ok("connection"), null);
  await tab.use(service);
  assert.equal(await tab.ok("resume"), null);
});

tabs.testInChromium("forget() leaves neither tokens nor connection, in all tabs and after a reload", async () => {
  const { service, tab } = await fetched();
  const second = await (await tabs.tab()).use(service);
  await tab.ok("forget");
  for (const one of [tab, second]) {
    assert.equal(await one.ok("unfinished"), false);
    assert.equal(await one.ok("connection"), null);
  }
  await tab.reload();
  await tab.use(service);
  assert.equal(await tab.ok("resume"), null);
});

const ENDS = { killed: () => tabs.killBrowser() };
// MiniBrowser without its driver cannot be told to end.
if (DRIVER_KEEPS_PROFILE) ENDS.closed = () => tabs.closeBrowser();

for (const [word, end] of Object.entries(ENDS)) {
  tabs.test(
    `the profile of a ${word} browser holds tokens and keys, none in plain text; a page's plain text is found there`,
    async () => {
      const [opened] = await tabs.keptTabs(1);
      const { service, token, tokens, tab } = await fetched({}, opened);
      const canary = randomBytes(32).toString("base64url");
      const local = randomBytes(32).toString("base64url");
      await tab.ok("storePlain", canary);
      await tab.ok("storeLocal", local);
      await end();
      assert.notDeepEqual(await filesWith(tabs.profile, canary), [], "The search would not find a token.");
      if (word === "closed")
        assert.notDeepEqual(
          await filesWith(tabs.profile, local),
          [],
          "The search would not find a token in localStorage.",
        );
      const { accessToken, refreshToken } = tokens;
      const secrets = {
        accessToken,
        refreshToken,
        integrationToken: token,
        pickupId: service.pickupId,
        clientSecret: tabs.service.settings.clientSecret,
      };
      for (const [name, secret] of Object.entries(secrets))
        assert.deepEqual(await filesWith(tabs.profile, secret), [], `The ${name} is in the profile.`);
      // Without a call: it was on the disk.
      const next = await (await tabs.reopenBrowser()).use(service);
      assert.ok(same(await next.ok("resumeAndFetch"), tokens), "The set is not there any more.");
      assert.deepEqual(service.answers("token"), [200]);
    },
  );
}

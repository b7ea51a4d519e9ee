// The real client over the service of pos-connect/testing, which follows the script of a case.

const { fetch } = globalThis;
/** What the browser says of its network: a call that nobody answers was made offline. Node 20 has no navigator. */
let isOnline = true;
globalThis.navigator ??= {};
Object.defineProperty(navigator, "onLine", { get: () => isOnline });

/** Gives `{ pos, another, endConnection, end }`. */
export async function realClient({ PosConnect, fakeService }, script, callbacks) {
  isOnline = true;
  globalThis.fetch = fetch;
  const { isRelay, isShared, connection, connect = "finished", orders, calls } = script;
  // At a relay, it was connected before. Nobody knows it of a page that calls the service itself.
  const before = isRelay ? { connection } : { connection: null, connect: [connection ?? [], connect].flat() };
  const service = fakeService({ connect, orders, calls, ...before });
  globalThis.fetch = (...call) => service.fetch(...call).then(answered, unanswered);
  const proof = isRelay ? {} : { clientSecret: "hunter2", trustedPage: true, accessToken: () => "fake-access-token" };
  const options = { ...service.options, ...proof, vault: isShared ? "indexeddb" : "memory", ...callbacks };
  const create = () => PosConnect.create(options);
  const pos = await create();
  if (connection && !isRelay) await connected(pos);
  return { pos, another: create, endConnection: () => service.endConnection(), end: () => pos.destroy() };
}

function answered(response) {
  isOnline = true;
  return response;
}

function unanswered(error) {
  isOnline = error.name === "AbortError";
  throw error;
}

async function connected(pos) {
  const integration = await pos.createIntegration();
  await integration.waitUntilDone();
  await integration.fetchTokens();
  await integration.acknowledgeTokens();
}

export async function until(is) {
  for (let tries = 0; !is(); tries += 1) {
    if (tries > 2000) throw new Error(`never: ${is}`);
    await sleep(25);
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

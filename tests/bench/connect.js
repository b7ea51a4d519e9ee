// A till that knows when what happened. The test signs in inside the frame.
const { PosConnect } = await import(`/${new URLSearchParams(location.search).get("package")}/index.js`);

let decided; // when the frame first said so
let swallows = false; // as a connect page without script

// Before the SDK's own listener: first come, first served.
addEventListener("message", (event) => {
  if (event.data?.posConnect !== 1 || event.data.type !== "finished") return;
  decided ??= performance.now();
  if (swallows) event.stopImmediatePropagation();
});

const create = ({ tillKey, ...options }) =>
  PosConnect.create(
    tillKey
      ? { ...options, headers: async () => ({ authorization: `Bearer ${tillKey}` }) }
      : { ...options, trustedPage: true },
  );

/** What one bare call takes over the same network, on a machine as busy as it is now: the middle of five. */
async function roundTrip(baseUrl) {
  const times = [];
  for (let call = 0; call < 5; call += 1) {
    const begun = performance.now();
    await fetch(`${baseUrl}/healthz`, { mode: "no-cors", cache: "no-store" });
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[2];
}

/** Connects once; gives the times from the frame's "finished" on, in ms. */
window.connect = async (options, { hints }) => {
  swallows = !hints;
  decided = undefined;
  const asked = []; // when each call began
  const { fetch } = window;
  window.fetch = (...call) => {
    asked.push(performance.now());
    return fetch(...call);
  };
  try {
    const pos = await create(options);
    const tokens = await pos.connect({ container: "#place" });
    const done = performance.now();
    pos.destroy();
    if (!tokens.held && !tokens.accessToken) throw new Error("No tokens.");
    // The last two calls are the status call that heard of it, and the token call.
    const polled = asked.at(-2);
    return {
      total: done - decided,
      waited: polled - decided,
      calls: done - polled,
      roundTrip: await roundTrip(options.baseUrl),
    };
  } finally {
    window.fetch = fetch;
  }
};

/** Picks up one integration that `finish` gets finished; gives how long the pick-up took, in ms. */
window.pickUp = async (options, vault, finish) => {
  const pos = await create({ ...options, vault });
  const integration = await pos.createIntegration();
  await fetch(`${finish}?integration_token=${encodeURIComponent(integration.integrationToken)}`);
  if ((await integration.status()) !== "finished") throw new Error("Not finished.");
  const begun = performance.now();
  await integration.fetchTokens();
  const took = performance.now() - begun;
  pos.destroy();
  return took;
};
window.ready = true;

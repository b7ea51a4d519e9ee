const { fetch } = globalThis;
let isCut = false;

/** Cuts the network as a cut cable does: each request of this page fails as it does offline, until it is mended. */
export function cutNetwork(cut) {
  isCut = cut;
  globalThis.fetch = cut ? () => Promise.reject(new TypeError("Failed to fetch")) : fetch;
  // What a browser does.
  dispatchEvent(new Event(cut ? "offline" : "online"));
}

/** Whether the browser says that there is no network. */
export const isOffline = () => isCut || !navigator.onLine;

/** Cuts the network while `flow` runs. */
export async function withoutNetwork(flow) {
  const wasCut = isCut;
  cutNetwork(true);
  try {
    return await flow();
  } finally {
    cutNetwork(wasCut);
  }
}

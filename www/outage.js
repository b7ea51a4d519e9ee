/** As if the cable were cut: while `flow` runs, every request of this page fails the way it does offline. */
export async function withoutNetwork(flow) {
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  try {
    return await flow();
  } finally {
    globalThis.fetch = fetch;
  }
}

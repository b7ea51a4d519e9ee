// A till on the outbox, or on TanStack's offline transactions as their documentation has them. The bench drives it.
const order = (externalId) => ({
  externalId,
  time: new Date(),
  currency: "USD",
  total: 1_500,
  lines: [{ name: "Sourdough loaf", quantity: 2, unitPrice: 750, amount: 1_500 }],
});

const tills = {
  async "pos-connect"() {
    const { PosConnect } = await import("/pos-connect/index.js");
    const service = { baseUrl: location.origin, connectUrl: location.origin, clientId: "bench" };
    const pos = await PosConnect.create({ ...service, headers: { authorization: "Bearer till" }, ereceipt: false });
    return {
      sell: async (externalId) => (await pos.orders.send(order(externalId))).state,
      kept: () => pos.orders.list(),
    };
  },

  async tanstack() {
    const { NonRetriableError, createCollection, localOnlyCollectionOptions, startOfflineExecutor } =
      await import("/peer.js");
    const orders = createCollection(localOnlyCollectionOptions({ id: "orders", getKey: (one) => one.externalId }));
    const sendOrder = async ({ transaction, idempotencyKey }) => {
      const response = await fetch("/v1/orders", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
        body: JSON.stringify(transaction.mutations[0].modified),
      });
      if (response.status === 422) throw new NonRetriableError("The order is wrong.");
      if (!response.ok) throw new Error(`Status ${response.status}.`);
      orders.utils.acceptMutations(transaction);
    };
    const executor = startOfflineExecutor({ collections: { orders }, mutationFns: { sendOrder } });
    await executor.waitForInit();
    const sell = async (externalId) => {
      const transaction = executor.createOfflineTransaction({ mutationFnName: "sendOrder", autoCommit: false });
      transaction.mutate(() => orders.insert(order(externalId)));
      await transaction.commit();
      return "accepted";
    };
    return { sell, kept: () => executor.peekOutbox() };
  },
};

const { sell, kept } = await tills[location.search.slice(1)]();
/** What the till was told of each order. */
window.told = {};
window.sell = (ids) => {
  for (const id of ids) {
    sell(id).then(
      (state) => (told[id] = state),
      () => (told[id] = "failed"),
    );
  }
};
/** Whether each of `count` orders is on the disk, or is said to have failed. */
window.holds = async (count) => {
  const failed = Object.values(told).filter((state) => state === "failed");
  return (await kept()).length + failed.length >= count;
};
window.ready = true;

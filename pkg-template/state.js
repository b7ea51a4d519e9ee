// What a page shows of a client: one object until something of it changes. Used by core.js and by the fake.

/** What a page shows before anything is known: while there is no client, too, and what a server renders. */
export const LOADING = Object.freeze({
  status: "loading",
  connection: null,
  hasEnded: false,
  isConnecting: false,
  waiting: [],
  refused: [],
});

/** Gives `state` and `subscribe` to a client that has `observe`. It asks nothing before one of them is used. */
export function addState(client) {
  let state = LOADING;
  let connecting = 0;
  let isStarted = false;
  let asked = { connection: false, orders: false };
  let isLooking = false;
  const listeners = new Set();

  function change(part) {
    const next = { ...state, ...part };
    // An order and a connection are JSON: another one of the same content is no change.
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    state = next;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch (error) {
        console.error("pos-connect: a listener of subscribe() threw", error);
      }
    }
  }

  /** Reads one of them or both; once more, if that was asked for meanwhile. */
  async function look(isConnection, isBoth) {
    if (isConnection || isBoth) asked.connection = true;
    if (!isConnection || isBoth) asked.orders = true;
    if (isLooking) return;
    isLooking = true;
    while (asked.connection || asked.orders) {
      const { connection, orders } = asked;
      asked = {};
      if (connection) await client.connection().then(connected, unreachable);
      // A storage that fails now is read again with the next change.
      if (orders) await client.orders.list().then(listed, () => {});
    }
    isLooking = false;
  }

  function listed(orders) {
    const of = (wanted) => orders.filter((order) => order.state === wanted);
    change({ waiting: of("queued"), refused: of("refused") });
  }

  function connected(connection) {
    const hasEnded = !connection && (state.hasEnded || state.status === "connected");
    change({ status: connection ? "connected" : "disconnected", connection, hasEnded, error: undefined });
  }

  function unreachable(error) {
    if (error.code !== "destroyed") change({ status: "unreachable", error });
  }

  function start() {
    if (isStarted) return;
    isStarted = true;
    client.observe((isConnection) => look(isConnection));
    look(true, true);
  }

  /** These change the connection in this page, which nobody tells it. */
  function followed(name, step) {
    const call = client[name];
    return (...given) => {
      const promise = call.apply(client, given);
      step(1);
      const done = () => (step(-1), isStarted && look(true, true));
      promise.then(done, done);
      return promise;
    };
  }

  const connects = (step) => change({ isConnecting: (connecting += step) > 0 });
  const own = (value) => ({ value, configurable: true, enumerable: true, writable: true });
  Object.defineProperties(client, {
    connect: own(followed("connect", connects)),
    disconnect: own(followed("disconnect", () => {})),
    forget: own(followed("forget", () => {})),
    state: { get: () => (start(), state), configurable: true, enumerable: true },
    subscribe: own((listener) => {
      start();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    }),
  });
}

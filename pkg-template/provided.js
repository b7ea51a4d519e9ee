// The client that a provider gives to the components below it. Used by react/ and vue/.
import { PosConnect } from "pos-connect";
import { LOADING } from "./state.js";

/** Milliseconds between two tries to create a client. */
const REST = 10_000;
/** The merchant, or the page, has ended it: nothing to show. */
const GIVEN_UP = ["closed", "cancelled", "aborted", "destroyed"];

/** A client that the page has made, and destroys itself. */
export const given = (client) => ({
  client,
  get state() {
    return client.state;
  },
  subscribe: client.subscribe,
  ready: async () => client,
  hold: () => () => {},
});

/** A client that is created when it is held or needed first, and never on a server. */
export class Provided {
  client = null;
  #creating;
  #state = LOADING;
  #holders = 0;
  #listeners = new Set();
  #timer;

  /** @param options those of `create`; they may be replaced as long as only functions differ. */
  constructor(options) {
    this.options = options;
  }

  get state() {
    return this.client?.state ?? this.#state;
  }

  subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The client; after a failure it is created anew. */
  ready() {
    this.#creating ??= this.#create();
    return this.#creating;
  }

  /** Gives a function that lets go of it. */
  hold() {
    this.#holders += 1;
    this.ready().catch(() => {});
    return () => {
      this.#holders -= 1;
      // StrictMode and hot reload let go of it, and hold it again at once.
      setTimeout(() => this.#holders > 0 || this.#end());
    };
  }

  #create() {
    clearTimeout(this.#timer);
    const creating = PosConnect.create(newest(this));
    const isWanted = () => this.#creating === creating;
    creating.then(
      (client) => (isWanted() ? this.#show(client) : client.destroy()),
      (error) => isWanted() && this.#fail(error),
    );
    return creating;
  }

  #show(client) {
    this.client = client;
    client.subscribe(this.#tell);
    this.#tell();
  }

  #fail(error) {
    this.#creating = undefined;
    // One line in the console for each reason, not one for each try.
    if (this.#state.error?.code !== error.code) console.error(error);
    this.#state = { ...LOADING, status: "unreachable", error };
    if (error.retryable && this.#holders > 0) this.#timer = setTimeout(() => this.ready().catch(() => {}), REST);
    this.#tell();
  }

  #tell = () => {
    for (const listener of [...this.#listeners]) listener();
  };

  #end() {
    clearTimeout(this.#timer);
    this.client?.destroy();
    this.client = null;
    this.#creating = undefined;
    this.#state = LOADING;
  }
}

/** Connects, and never rejects: `show` gets undefined, and why it failed. */
export async function connect(provided, options, show) {
  show(undefined);
  try {
    const client = await provided.ready();
    return await client.connect(options);
  } catch (error) {
    if (!GIVEN_UP.includes(error.code)) show(error);
    return undefined;
  }
}

/** Connects in an element until the function is called that this gives. After that nobody hears of it. */
export function connectIn(provided, options, connected, failed) {
  const stop = new AbortController();
  const { signal } = stop;
  const connecting = provided.ready().then((client) => !signal.aborted && client.connect({ ...options, signal }));
  connecting.then(
    (tokens) => signal.aborted || connected(tokens),
    (error) => signal.aborted || failed(error),
  );
  return () => stop.abort();
}

/** Sells; `step` gets 1 at the beginning and -1 at the end. */
export async function charge(provided, order, options, step) {
  step(1);
  try {
    const client = await provided.ready();
    return await client.charge(order, options);
  } finally {
    step(-1);
  }
}

/** What the outbox lets do with an order. */
export const outboxOf = (provided) => ({
  retry: async (id, options) => (await provided.ready()).orders.retry(id, options),
  discard: async (id) => (await provided.ready()).orders.discard(id),
});

/** Ends the connection. */
export const disconnectOf = (provided) => async () => (await provided.ready()).disconnect();

/** Options whose functions are looked up when they are called: those of the newest options count. */
const newest = (provided) =>
  Object.fromEntries(
    Object.entries(provided.options ?? {}).map(([name, value]) =>
      typeof value === "function" ? [name, (...args) => provided.options[name](...args)] : [name, value],
    ),
  );

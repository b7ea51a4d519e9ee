// Defects that the storm has to see. Each spoils a client as a fault of the package's would.
const before = (client, call, act) => {
  const real = client[call];
  client[call] = function (...given) {
    act(...given);
    return real.apply(this, given);
  };
};

const twice =
  (onSend) =>
  (...given) => {
    Promise.resolve(onSend(...given)).catch(() => {});
    return onSend(...given);
  };

export const PLANTS = {
  "a keypad that stays": (client) =>
    before(client, "receiptFor", () => document.body.append(document.createElement("ereceipt-keypad"))),
  "a frame that stays in a container": (client, world) =>
    before(client, "connect", () => {
      const frame = document.createElement("iframe");
      frame.className = "pos-connect-frame";
      world.allContainers.at(-1).append(frame);
    }),
  "a listener on the caller's signal": (client) =>
    before(client, "connect", (given) => {
      // The getter of an odd one throws.
      if (Object.getOwnPropertyDescriptor(given, "signal")?.value) given.signal.addEventListener("abort", () => {});
    }),
  "a timer that runs on": (client) => before(client, "receiptFor", () => setInterval(() => {}, 1_000)),
  "a receipt that nobody asked for": (client) => before(client, "receiptFor", ({ onSend }) => void onSend?.()),
  "a receipt that was sent twice": (client) => {
    const real = client.receiptFor;
    client.receiptFor = (given) => real.call(client, { ...given, onSend: given.onSend && twice(given.onSend) });
  },
  "a call that hangs": (client) => {
    client.connection = () => new Promise(() => {});
  },
  "an error that nobody catches": (client) =>
    before(client, "connection", () => void Promise.reject(new Error("planted"))),
  "an order that is lost": (client) => {
    client.orders.send = async () => ({ state: "queued", print: true });
  },
};

/** What the storm says of each. */
export const SEEN = {
  "a keypad that stays": /elements are left: <ereceipt-keypad/,
  "a frame that stays in a container": /elements are left: <iframe/,
  "a listener on the caller's signal": /listeners of abort are left/,
  "a timer that runs on": /timers are left/,
  "a receipt that nobody asked for": /onSend without an action of the shopper's/,
  "a receipt that was sent twice": /onSend was called twice/,
  "a call that hangs": /never settled: connection/,
  "an error that nobody catches": /uncaught: [^]*plant/,
  "an order that is lost": /is lost/,
};

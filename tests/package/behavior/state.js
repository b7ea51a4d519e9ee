// What a page shows of the client.
import { connected, ORDER } from "./case.js";

const shown = ({ status, connection, hasEnded, isConnecting, waiting, refused }) => [
  status,
  connection?.ereceipt,
  hasEnded,
  isConnecting,
  waiting.length,
  refused.length,
];

/** Each state that a listener finds, without repetition. */
function follow(pos) {
  const seen = [shown(pos.state)];
  const stop = pos.subscribe(() => seen.push(shown(pos.state)));
  return { seen, stop };
}

export const states = [
  {
    name: "state: from loading over connecting to connected, and until disconnect",
    isInPage: true,
    async run({ pos, until }) {
      const { seen } = follow(pos);
      await until(() => pos.state.status === "disconnected");
      await pos.connect({ doneSeconds: 0 });
      await until(() => pos.state.status === "connected" && !pos.state.isConnecting);
      const same = pos.state === pos.state;
      await pos.disconnect();
      await until(() => pos.state.status === "disconnected");
      return [same, seen.at(0), seen.at(1), seen.at(2), seen.at(-2), seen.at(-1)];
    },
    gives: [
      true,
      ["loading", null, false, false, 0, 0],
      ["disconnected", null, false, false, 0, 0],
      ["disconnected", null, false, true, 0, 0],
      ["connected", true, false, false, 0, 0],
      ["disconnected", null, true, false, 0, 0],
    ],
  },
  {
    name: "state: orders that wait and that are refused, until nobody listens",
    script: connected({ orders: ["invalid_body", "network"] }),
    async run({ pos, until }) {
      const { seen, stop } = follow(pos);
      await pos.orders.send(ORDER).catch(() => {});
      await until(() => pos.state.refused.length === 1);
      await pos.orders.send({ ...ORDER, externalId: "1042" });
      await until(() => pos.state.waiting[0]?.error);
      stop();
      const count = seen.length;
      await pos.forget();
      await until(() => pos.state.waiting.length === 0 && pos.state.refused.length === 0);
      return [seen.at(-1), seen.length - count];
    },
    gives: [["connected", true, false, false, 1, 1], 0],
  },
  {
    name: "state: another object of this browser hears of the connection and of the orders",
    script: { orders: "network", isShared: true },
    isInPage: true,
    async run({ pos, another, until }) {
      const other = await another();
      const { seen } = follow(other);
      await until(() => other.state.status === "disconnected");
      await pos.connect({ doneSeconds: 0 });
      await until(() => other.state.status === "connected");
      await pos.orders.send(ORDER);
      await until(() => other.state.waiting.length === 1);
      await pos.forget();
      await until(() => other.state.status === "disconnected" && other.state.waiting.length === 0);
      other.destroy();
      return [seen.at(1), seen.at(2), seen.at(-1)];
    },
    gives: [
      ["disconnected", null, false, false, 0, 0],
      ["connected", true, false, false, 0, 0],
      ["disconnected", null, true, false, 0, 0],
    ],
    lacks: "other tabs: a test has pos.fake.connectElsewhere()",
  },
  {
    name: "state: what a relay knows, until it says that the connection is over",
    script: { ...connected(), isRelay: true },
    async run({ pos, until, endConnection }) {
      const { seen } = follow(pos);
      await until(() => pos.state.status === "connected");
      endConnection();
      await pos.orders.send(ORDER);
      await until(() => pos.state.status === "disconnected" && pos.state.waiting.length === 1);
      return [seen.at(0), seen.at(1), seen.at(-1)];
    },
    gives: [
      ["loading", null, false, false, 0, 0],
      ["connected", true, false, false, 0, 0],
      ["disconnected", null, true, false, 1, 0],
    ],
  },
  {
    name: "state: a relay that does not answer, until the network is back",
    script: { ...connected(), isRelay: true, calls: { "GET /connection": ["network", "answered"] } },
    isInPage: true,
    async run({ pos, until }) {
      const { seen } = follow(pos);
      await until(() => pos.state.status === "unreachable");
      const { code } = pos.state.error;
      dispatchEvent(new Event("online"));
      await until(() => pos.state.status === "connected");
      return [code, seen.at(1), seen.at(-1)];
    },
    gives: ["network", ["unreachable", null, false, false, 0, 0], ["connected", true, false, false, 0, 0]],
    lacks: "a relay that does not answer: connection() never fails",
  },
];

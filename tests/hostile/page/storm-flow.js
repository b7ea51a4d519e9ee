// The merchant's side of a storm: connecting, closing, deciding, and the objects that come and go.
import { options, spread, thrower } from "./storm-given.js";
import { CONNECT_ORIGIN } from "./till.js";
import { never, thrown } from "./world.js";

export const FLOW = [
  {
    name: "connect",
    weight: 6,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) world.ledger.expect("connect", client.connect(options(world, roll))).catch(() => {});
    },
  },
  {
    name: "the merchant decides",
    weight: 4,
    run: (world, roll) => world.service.decide(roll.one(["finished", "finished", "cancelled"])),
  },
  {
    name: "abort",
    weight: 3,
    run: (world, roll) => spread(roll, world.controllers)?.abort(roll.one([undefined, "why", thrown()])),
  },
  { name: "close", weight: 3, run: () => document.querySelector(".pos-connect-close")?.click() },
  { name: "phone", weight: 1, run: () => document.querySelector(".pos-connect-phone")?.click() },
  {
    name: "window",
    weight: 1,
    run: (world, roll) => {
      const { open } = window;
      window.open = roll.one([
        () => null,
        () => ({ close() {} }),
        () => {
          throw thrown();
        },
      ]);
      document.querySelector(".pos-connect-open-window")?.click();
      window.open = open;
    },
  },
  {
    name: "message",
    weight: 2,
    run: (world, roll) => {
      const data = roll.one([null, { posConnect: 1, type: "decided" }, thrower("type"), "decided"]);
      const source = document.querySelector("iframe.pos-connect-frame")?.contentWindow ?? null;
      window.dispatchEvent(new MessageEvent("message", { data, source, origin: CONNECT_ORIGIN }));
    },
  },
  {
    name: "createIntegration",
    weight: 3,
    run: async (world, roll) => {
      const client = spread(roll, world.clients);
      if (!client) return;
      const made = world.ledger.expect(
        "createIntegration",
        client.createIntegration({ signal: roll.chance(0.3) ? world.signal() : undefined }),
      );
      made.then(
        (integration) => world.keep(world.integrations, integration),
        () => {},
      );
    },
  },
  {
    name: "resume",
    weight: 3,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (!client) return;
      world.ledger.expect("resume", client.resume()).then(
        (left) => left && world.keep(world.integrations, left),
        () => {},
      );
    },
  },
  {
    name: "mountFrame",
    weight: 3,
    run: (world, roll) => {
      const place = roll.one(world.containers);
      const integration = spread(roll, world.integrations);
      if (!integration || !place) return;
      try {
        const frame = integration.mountFrame(roll.chance(0.3) ? undefined : place);
        world.ledger.expect("ended", frame.ended);
        if (roll.chance(0.3)) frame.close();
      } catch (error) {
        if (error?.name !== "PosConnectError") throw error;
      }
    },
  },
  ...["waitUntilDone", "status", "fetchTokens", "acknowledgeTokens", "cancel"].map((call) => ({
    name: call,
    weight: 3,
    run: (world, roll) => {
      const integration = spread(roll, world.integrations);
      const given = roll.chance(0.3) ? { signal: world.signal() } : undefined;
      if (integration) world.ledger.expect(call, integration[call](given)).catch(() => {});
    },
  })),
  { name: "destroy an integration", weight: 1, run: (world, roll) => spread(roll, world.integrations)?.destroy() },
  {
    name: "connection",
    weight: 2,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) world.ledger.expect("connection", client.connection()).catch(() => {});
    },
  },
  ...["forget", "disconnect"].map((call) => ({
    name: call,
    weight: 0.5,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) void world.book.forgetting(world.ledger.expect(call, client[call]()));
    },
  })),
  {
    name: "another page of the store",
    weight: 2,
    run: (world, roll) =>
      world.addClient({
        persistTokens: roll.one([
          undefined,
          () => {},
          () => {
            throw thrown();
          },
          never,
        ]),
        headers: roll.one([
          undefined,
          undefined,
          () => ({ "x-till": "7" }),
          () => {
            throw thrown();
          },
          () => never(),
        ]),
        vault: roll.chance(0.3) ? "memory" : undefined,
      }),
  },
  {
    name: "init",
    weight: 1,
    run: (world, roll) => {
      const odd = roll.chance(0.3);
      world.ledger.expect("init", world.sdk.init(odd ? thrower("module") : undefined)).catch(() => {});
      world.ledger.expect("defineKeypad", world.sdk.defineKeypad(odd ? "nodash" : undefined)).catch(() => {});
    },
  },
  {
    name: "destroy",
    weight: 1,
    run: async (world) => {
      world.clients.shift()?.destroy();
      if (world.clients.length === 0) await world.addClient({});
    },
  },
];

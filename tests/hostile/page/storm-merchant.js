// What a connected till does in a storm: orders, the outbox, and the other operations.
import { container, spread, thrower } from "./storm-given.js";

function touchOutbox(world, roll, client, listed) {
  const { id, externalId, state } = spread(roll, listed) ?? {};
  if (!id) return;
  if (roll.chance(0.5)) {
    const isCorrected = externalId && roll.chance(state === "refused" ? 0.7 : 0.1);
    const order = isCorrected ? world.book.corrected(externalId) : undefined;
    world.ledger.expect("orders.retry", client.orders.retry(id, { order })).catch(() => {});
  } else {
    world.book.mayBeGone(externalId);
    world.ledger.expect("orders.discard", client.orders.discard(id)).catch(() => {});
  }
}

export const MERCHANT = [
  {
    name: "orders.send",
    weight: 6,
    run: (world, roll) => {
      const client = spread(
        roll,
        world.clients.filter((one) => !world.forgetful.has(one)),
      );
      if (!client) return;
      world.book.send(client, { signal: roll.chance(0.2) ? world.signal() : undefined });
    },
  },
  {
    name: "charge",
    weight: 2,
    run: (world, roll) => {
      const client = spread(
        roll,
        world.clients.filter((one) => !world.forgetful.has(one)),
      );
      if (!client) return;
      const signal = roll.chance(0.2) ? world.signal() : undefined;
      const printIfQueued = roll.chance(0.5);
      world.book.charge(client, { region: "IL", container: container(world, roll), signal, printIfQueued });
    },
  },
  {
    name: "the outbox",
    weight: 2,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      // Not waited for: a storage that hangs would hold up the storm, and with it the clock.
      client &&
        world.ledger.expect("orders.list", client.orders.list()).then(
          (listed) => touchOutbox(world, roll, client, listed),
          () => {},
        );
    },
  },
  ...[
    ["store", "get", () => []],
    ["store", "update", (roll) => [roll.chance(0.2) ? thrower("name") : { name: "Storm" }]],
    ["customers", "send", () => [[{ externalId: "c-1", name: "Dana" }]]],
    ["orders", "get", (roll) => [`order-${1 + roll.below(30)}`]],
  ].map(([subject, call, given]) => ({
    name: `${subject}.${call}`,
    weight: 0.7,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) world.ledger.expect(`${subject}.${call}`, client[subject][call](...given(roll))).catch(() => {});
    },
  })),
];

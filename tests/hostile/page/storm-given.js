// What the storm hands to the package: good options, odd ones, and callbacks of all kinds.
import { thrown } from "./world.js";

export const REGIONS = ["IL", "US", "DE"];

/** An object whose member throws when it is read. */
export const thrower = (name) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw thrown();
    },
  });

export const container = (world, roll) =>
  roll.one([undefined, null, ...world.containers.filter((one) => one.isConnected)]);

export function callback(world, roll) {
  return roll.one([
    undefined,
    () => {},
    () => {
      throw thrown();
    },
    () =>
      world.clients
        .at(-1)
        ?.connection()
        .catch(() => {}),
  ]);
}

export function options(world, roll) {
  if (roll.chance(0.05)) return thrower(roll.one(["signal", "labels", "onStatus"]));
  return {
    signal: roll.chance(0.4) ? world.signal() : undefined,
    onStatus: callback(world, roll),
    container: container(world, roll),
    labels: roll.chance(0.2) ? { title: "T" } : undefined,
  };
}

export const spread = (roll, list) => (list.length > 0 ? roll.one(list) : undefined);

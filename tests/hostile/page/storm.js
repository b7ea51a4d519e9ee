// A storm: random calls of the whole API, random hands, random faults, and what has to hold whatever comes.
import { advance, pause, turn, waiting } from "./clock.js";
import { dice } from "./dice.js";
import { Ledger } from "./ledger.js";

const given = new URLSearchParams(location.search);
const seed = Number(given.get("seed"));
const numbers = given.has("only")
  ? given.get("only").split(",").filter(Boolean).map(Number)
  : Array.from({ length: Number(given.get("steps")) }, (_, number) => number);

// Before the package and the service are loaded: both keep what they find.
const ledger = new Ledger();
const { World } = await import("./world.js");
const { ACTIONS } = await import("./actions.js");

/** Calls that may wait before the storm lets the storage answer, which takes real time: no till has so many. */
const MOST_WAITING = 12;

const total = ACTIONS.reduce((sum, { weight }) => sum + weight, 0);

/** The action of a step: the same for the same seed and number. */
function drawn(roll) {
  let left = roll.random() * total;
  return ACTIONS.find(({ weight }) => (left -= weight) < 0) ?? ACTIONS[0];
}

async function storm() {
  const timers = waiting();
  const world = await World.make(ledger);
  const trace = [];
  let half;
  for (const [at, number] of numbers.entries()) {
    const roll = dice(seed, number);
    const action = drawn(roll);
    trace.push(`${number} ${action.name}`);
    if (trace.length > 12) trace.shift();
    await action.run(world, roll);
    // Mostly at once; now and then the merchant thinks.
    await (roll.chance(0.2) ? advance(roll.one([50, 450, 1_100, 12_000])) : turn());
    for (let waits = 0; waits < 10 && ledger.pending.length > MOST_WAITING; waits += 1) await pause(2);
    world.check();
    if (ledger.broken.length > 0) return report(trace, number);
    if (at === numbers.length >> 1) half = ledger.memory();
  }
  await world.end();
  ledger.checkEnd({ half, containers: world.allContainers, timers: waiting() - timers });
  return report(trace, null);
}

const report = (trace, number) => ({ broken: ledger.broken, trace, number, steps: numbers.length, did: ledger.did });

const result = await storm().catch((error) => ({
  broken: [`the storm itself: ${error} ${error?.stack}`],
  trace: [],
  steps: 0,
}));
document.body.dataset.result = JSON.stringify(result);

// The page's clock stands still until a test moves it, and while the storage is at work: no test waits, and none
// depends on how busy the machine is, or the disk.

const setReal = globalThis.setTimeout.bind(globalThis);
const realNow = performance.now.bind(performance);
const timers = new Map();
let now = Math.ceil(realNow());
let last = 0;

/** A storage that has answered nothing for so long does not answer. */
const SILENT_MS = 60_000;
const { addEventListener: listen } = EventTarget.prototype;
/** What it has not answered yet. */
const asked = new Set();

/** Waits in real time, in which storage and locks answer. */
export const pause = (ms) => new Promise((resolve) => setReal(resolve, ms));

const turns = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => turns.shift()();
const post = channel.port2.postMessage.bind(channel.port2);
/** Lets everything run that is due. */
export const turn = () => new Promise((resolve) => (turns.push(resolve), post(null)));

performance.now = () => now;
const set =
  (isRepeated) =>
  (run, ms = 0, ...args) => {
    last += 1;
    const every = Math.max(1, Number(ms) || 0);
    timers.set(last, { at: now + every, every: isRepeated ? every : 0, run: () => run(...args) });
    return last;
  };
const clear = (id) => void timers.delete(id);
globalThis.setTimeout = set(false);
globalThis.setInterval = set(true);
globalThis.clearTimeout = clear;
globalThis.clearInterval = clear;

export const time = () => now;

/** How many timers wait. */
export const waiting = () => timers.size;

/** Moves the clock without a turn between: what happens in one lump on a busy machine. */
export const skip = (ms) => (now += ms);

/** Notes what a method gives until one of its events has come, whatever a test does to its handlers. */
function watch({ prototype }, name, ...events) {
  const original = prototype[name];
  prototype[name] = function (...args) {
    const given = original.apply(this, args);
    asked.add(given);
    for (const event of events) listen.call(given, event, () => asked.delete(given));
    return given;
  };
}

watch(IDBFactory, "open", "success", "error", "blocked");
watch(IDBDatabase, "transaction", "complete", "abort");
// WebKit tells of no end of an aborted transaction whose database is closed at once.
const { abort } = IDBTransaction.prototype;
IDBTransaction.prototype.abort = function () {
  asked.delete(this);
  return abort.call(this);
};

async function storageAnswered() {
  const began = realNow();
  const isAtWork = () => asked.size > 0 && realNow() - began < SILENT_MS;
  for (let turns = 0; isAtWork(); turns += 1) await (turns < 200 ? turn() : pause(5));
}

/** Moves the clock, timer by timer. */
export async function advance(ms) {
  const end = now + ms;
  for (;;) {
    await storageAnswered();
    const next = due(end);
    if (next === undefined) break;
    const [id, timer] = next;
    now = Math.max(now, timer.at);
    if (timer.every > 0) timer.at += timer.every;
    else timers.delete(id);
    timer.run();
    await turn();
  }
  now = Math.max(now, end);
}

function due(end) {
  const waiting = [...timers].filter(([, timer]) => timer.at <= end);
  return waiting.sort(([, one], [, other]) => one.at - other.at)[0];
}

/** Waits in real time, with a limit for what never comes. */
export async function until(test, what) {
  for (let turns = 0; turns < 18_000; turns += 1) {
    if (await test()) return;
    await (turns < 200 ? turn() : pause(5));
  }
  throw new Error(`it did not come: ${what}`);
}

/** What a promise resolves with, without a timer of the page's. */
export async function settled(promise, what) {
  let outcome;
  promise.then(
    (value) => (outcome = value),
    (error) => (outcome = { kind: "rejected", reason: String(error) }),
  );
  await until(() => outcome !== undefined, what);
  return outcome;
}

// The clock of a page under test. Nobody waits for it: timers, `performance.now`, `Date.now` and the time stamps of
// events agree, and as soon as the page has nothing to do, the time is that of the next timer. So a test reads exactly
// what the product waits for, and a busy machine changes nothing.

const { setTimeout: later } = window;
const { addEventListener: listen } = EventTarget.prototype;
const realNow = performance.now.bind(performance);

/** What has not ended for so long hangs, and stops no clock. A busy machine takes its time; few tests let it hang. */
const HANGS_AFTER_MS = 30_000;

// Whole milliseconds: sums of fractions are not exact, and a test that reads a limit would be off by the last bit.
let now = Math.ceil(realNow());
let wall = Date.now() - now;
/** What the clock is behind a real one, while it keeps its pace. */
let behind;
/** What the browser is at work on. */
let busy = 0;
let isTurning = false;
let lastId = 1_000_000;
const timers = new Map();

performance.now = () => now;
Date.now = () => wall + now;
Object.defineProperty(Event.prototype, "timeStamp", { configurable: true, get: () => now });

const start = (callback, ms, more) => {
  const id = ++lastId;
  // Rounded up: a wait that ended early would be asked for again and again at the same time.
  const pause = Math.max(0, Math.ceil(ms) || 0);
  timers.set(id, { id, due: now + pause, callback, ...more(pause) });
  turn();
  return id;
};
window.setTimeout = (callback, ms, ...rest) => {
  // WebKit's driver limits its scripts by a timer of the page's; no file of the page sets that one.
  if (new Error().stack.split("http:").length < 3) return later.call(window, callback, ms, ...rest);
  return start(callback, ms, () => ({ rest }));
};
window.setInterval = (callback, ms, ...rest) => start(callback, ms, (every) => ({ rest, every: Math.max(1, every) }));
window.clearTimeout = window.clearInterval = (id) => void timers.delete(id);

/** Timers, each in a task of its own, in the order of their times. A browser's shortest timeout lets others pass. */
function turn() {
  if (isTurning || timers.size === 0) return;
  isTurning = true;
  later(() => {
    isTurning = false;
    const next = [...timers.values()].reduce((one, other) => (other.due < one.due ? other : one), { due: Infinity });
    if (behind !== undefined) now = Math.max(now, Math.floor(realNow() - behind));
    else if (busy === 0 && next.due < Infinity) now = Math.max(now, next.due);
    turn();
    if (next.due > now) return;
    if (next.every) next.due += next.every;
    else timers.delete(next.id);
    next.callback(...next.rest);
  });
}

/** From now on the clock keeps the pace of a real one: for a real service, and to see that it makes no difference. */
export const keepPace = () => void (behind = realNow() - now);
export const hurry = () => void (behind = undefined);

/** Sets the clock on the wall. */
export const shiftWall = (ms) => void (wall += ms);

/** How many timers are set. */
export const timersSet = () => timers.size;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves as soon as `test` gives true. The limit is for what never comes; a real clock does not wait for WebKit. */
export async function eventually(test) {
  const end = now + (behind === undefined ? 60_000 : 600_000);
  for (let idleLooks = 0; now < end; idleLooks += 1) {
    if (test()) return;
    // First without letting the time go on: what needs no timer is seen at the very time when it comes.
    if (busy > 0) idleLooks = 0;
    await sleep(idleLooks < 10 ? 0 : 20);
  }
  throw new Error("it did not become true");
}

/** Stops the clock until the function that it gives is called. */
function work() {
  let isOver = false;
  const end = () => {
    if (!isOver) busy -= 1;
    isOver = true;
  };
  busy += 1;
  later.call(window, end, HANGS_AFTER_MS);
  return end;
}

/** Whatever a function of the page's gives is what the browser works on until `ended`. */
function watch(object, name, ended) {
  const original = object[name];
  object[name] = function (...args) {
    const given = original.apply(this, args);
    ended(given, work());
    return given;
  };
}

const settled = (promise, end) => promise.then(end, end);
const heard =
  (...types) =>
  (target, end) =>
    types.forEach((type) => listen.call(target, type, end));

watch(window, "fetch", settled);
for (const { prototype } of [Request, Response]) watch(prototype, "text", settled);
for (const name of ["encrypt", "decrypt", "generateKey", "importKey", "exportKey", "deriveBits", "sign"])
  watch(SubtleCrypto.prototype, name, settled);
watch(IDBFactory.prototype, "open", heard("success", "error", "blocked"));
watch(IDBDatabase.prototype, "transaction", heard("complete", "abort"));

// A message to other pages has arrived when the youngest of them has it.
const { postMessage } = BroadcastChannel.prototype;
BroadcastChannel.prototype.postMessage = function (message) {
  const [youngest, end] = [new BroadcastChannel(this.name), work()];
  youngest.onmessage = () => (youngest.close(), end());
  return postMessage.call(this, message);
};

// A lock that nobody holds is about to be granted, and so is one that is stolen; another one may wait for a timer.
const queues = new Map();
const { request } = LockManager.prototype;
LockManager.prototype.request = function (name, ...rest) {
  const granted = rest.pop();
  const place = { end: undefined, isGranted: false };
  const queue = queues.get(name) ?? [];
  queues.set(name, queue);
  rest[0]?.steal ? queue.unshift(place) : queue.push(place);
  const first = () => queue[0] && !queue[0].isGranted && (queue[0].end ??= work());
  first();
  const held = request.call(this, name, ...rest, (lock) => {
    place.isGranted = true;
    place.end?.();
    return granted(lock);
  });
  const over = () => {
    place.end?.();
    queue.splice(queue.indexOf(place), 1);
    first();
  };
  held.then(over, over);
  return held;
};

// wasm-bindgen's test server answers four connections at a time; a fifth may wait for ever. The SDK has three files, so
// its glue imports one of the tests', which imports the others. This one has its functions where Rust finds them.
globalThis.pageClock = { sleep, eventually, keepPace, hurry, shiftWall };

// What the page sees of the package: its promises, listeners, timers, errors, memory. And what of it must not be.

/** The memories of a WebAssembly instance: the exports of the package have short names. */
const memoriesOf = ({ exports }) => Object.values(exports).filter((one) => one instanceof WebAssembly.Memory);

const CODES = /^[a-z_]+$/;

export class Ledger {
  broken = [];
  /** How often each thing was done. */
  did = {};
  #pending = new Map();
  #listeners = new Map();
  #memories = [];
  #signals = new WeakSet();

  constructor() {
    addEventListener("error", (event) => this.uncaught(event.error ?? event.message));
    addEventListener("unhandledrejection", (event) => this.uncaught(event.reason));
    this.#watchListeners();
    this.#watchMemory();
  }

  count(name) {
    this.did[name] = (this.did[name] ?? 0) + 1;
  }

  fail(what) {
    if (this.broken.length < 5) this.broken.push(what);
  }

  uncaught(thrown) {
    if (thrown?.storm === true) return;
    this.fail(`uncaught: ${thrown?.stack ?? thrown}`);
  }

  /** A promise of the package's: it has to settle, and if it rejects, with an error of the package's. */
  expect(name, promise, check = () => {}) {
    const key = {};
    this.#pending.set(key, name);
    promise.then(
      (value) => {
        this.#pending.delete(key);
        this.count(`${name}: done`);
        check(value);
      },
      (error) => {
        this.#pending.delete(key);
        this.count(`${name}: ${error?.code}`);
        if (error?.name !== "PosConnectError" || !CODES.test(error.code))
          this.fail(`${name} rejected with ${error?.stack ?? error}`);
        check(undefined, error);
      },
    );
    return promise;
  }

  get pending() {
    return [...this.#pending.values()];
  }

  /** A signal of the page's, on which nothing may be left. */
  watchSignal(signal) {
    this.#signals.add(signal);
    return signal;
  }

  #watchListeners() {
    const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
    const key = (options) => String(typeof options === "object" ? Boolean(options?.capture) : Boolean(options));
    const listeners = this.#listeners;
    // These stay when the package's own elements are gone.
    const stays = (target) => target === window || target === document || this.#signals.has(target);
    EventTarget.prototype.addEventListener = function (type, listener, options) {
      if (stays(this ?? window)) {
        const all = listeners.get(type) ?? [];
        all.push({ listener, key: key(options) });
        listeners.set(type, all);
      }
      return add.call(this ?? window, type, listener, options);
    };
    EventTarget.prototype.removeEventListener = function (type, listener, options) {
      const all = listeners.get(type) ?? [];
      const at = all.findIndex((one) => one.listener === listener && one.key === key(options));
      if (stays(this ?? window) && at >= 0) all.splice(at, 1);
      return remove.call(this ?? window, type, listener, options);
    };
  }

  #watchMemory() {
    const noted = async (made) => {
      const result = await made;
      this.#memories.push(...memoriesOf(result.instance ?? result));
      return result;
    };
    const { instantiate, instantiateStreaming } = WebAssembly;
    WebAssembly.instantiate = (...given) => noted(instantiate(...given));
    WebAssembly.instantiateStreaming = (...given) => noted(instantiateStreaming(...given));
  }

  /** Bytes of the module's memory. */
  memory() {
    return this.#memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
  }

  /** When everything was destroyed and every limit has passed. */
  checkEnd({ half, containers, timers }) {
    for (const name of new Set(this.pending)) this.fail(`never settled: ${name}`);
    for (const [type, all] of this.#listeners) {
      const left = all.filter(({ listener }) => listener?.storm !== true).length;
      // The two of this page.
      if (left > 0 && type !== "error" && type !== "unhandledrejection")
        this.fail(`${left} listeners of ${type} are left`);
    }
    const ours = "iframe, dialog, [inert], ereceipt-keypad, [class^=pos-connect]";
    // A container may be out of the document, and still hold what nobody sees.
    const nodes = [document, ...containers].flatMap((root) => [...root.querySelectorAll(ours)]);
    if (nodes.length > 0) this.fail(`${nodes.length} elements are left: ${nodes[0].outerHTML.slice(0, 200)}`);
    if (timers > 0) this.fail(`${timers} timers are left`);
    if (this.#memories.length !== 1) this.fail(`${this.#memories.length} memories`);
    // The heap may take one more piece late; a leak takes many.
    const grown = this.memory() - half;
    if (grown > 4 * 65_536) this.fail(`the memory grew by ${grown} bytes in the second half`);
  }
}

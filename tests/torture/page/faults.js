// What a browser does to a tab that sends orders, as far as a script of its page can do it.

// Longer than another tab waits for a lock, and than a call may take.
const FROZEN = 25_000;

/**
 * A frame cannot be frozen alone. So what wakes it is held back: answers and timers. Its locks stay, as those of a
 * frozen tab do. Gives what holds an answer back.
 */
export function freezer(tab) {
  let thawed = Promise.resolve();
  tab.freeze = () => {
    const { setTimeout: later } = tab.frame.contentWindow.parent;
    thawed = new Promise((resolve) => later(resolve, FROZEN));
    tab.run.note(tab, "frozen");
  };
  const { setTimeout, clearTimeout } = window;
  const set = new Set();
  window.setTimeout = (callback, ms, ...rest) => {
    const id = setTimeout(async () => {
      await thawed;
      if (set.delete(id)) callback(...rest);
    }, ms);
    set.add(id);
    return id;
  };
  window.clearTimeout = (id) => {
    set.delete(id);
    clearTimeout(id);
  };
  return async (answer) => {
    const outcome = await answer.then(
      (value) => ({ value }),
      (error) => ({ error }),
    );
    await thawed;
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  };
}

/** The first read of the storage's key gives null. Before its next one, the tab's calls may say so. */
export function misread({ run, name }) {
  const { get } = IDBObjectStore.prototype;
  let hasFailed = name === "last";
  IDBObjectStore.prototype.get = function (...args) {
    const request = get.apply(this, args);
    if (this.name !== "keys" || hasFailed) return request;
    hasFailed = true;
    run.done.push(misread.kind);
    return Object.defineProperty(request, "result", { value: null });
  };
  return { wrote: () => {}, lost: () => undefined, hasFailed: () => hasFailed && name !== "last" };
}
misread.kind = "storage: its key misread once";

/** From when it is written, the run's first order can be read by no tab any more. */
export function gone({ run, plan }) {
  const lost = (run.lost ??= { row: undefined, id: plan.tabs[0].orders[0].id });
  for (const name of ["get", "getAll"]) {
    const read = IDBObjectStore.prototype[name];
    IDBObjectStore.prototype[name] = function (wanted, ...rest) {
      const request = read.call(this, wanted, ...rest);
      const has = wanted instanceof IDBKeyRange ? wanted.includes(lost.row) : wanted === lost.row;
      if (lost.row && this.name === "entries" && has) this.transaction.abort();
      return request;
    };
  }
  return {
    wrote(row, id) {
      if (id !== lost.id || lost.row) return;
      lost.row = row;
      run.done.push(gone.kind);
    },
    // An order's name in the outbox is the end of its row's.
    lost: (name) => (lost.row?.endsWith(name) ? lost.id : undefined),
    hasFailed: (id) => id === lost.id,
  };
}
gone.kind = "storage: the file of a large order gone";

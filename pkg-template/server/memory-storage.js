/** For trials and tests: everything is gone with the process, and another process does not see it. */
export function memoryStorage() {
  const values = new Map();
  const queues = new Map();
  const load = async (merchant) => structuredClone(values.get(merchant) ?? null);
  function locked(merchant, work) {
    const save = async (value) => void values.set(merchant, structuredClone(value));
    const done = (queues.get(merchant) ?? Promise.resolve()).then(async () => work(await load(merchant), save));
    const settled = done.catch(() => {});
    queues.set(merchant, settled);
    return done;
  }
  return { load, locked };
}

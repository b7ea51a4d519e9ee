/** A storage for trials and tests: all is gone with the process, and another process does not see it. */
export function memoryStorage() {
  const values = new Map();
  const load = async (merchant) => structuredClone(values.get(merchant) ?? null);
  const save = async (merchant, value) => void values.set(merchant, structuredClone(value));
  // No other process is there to be kept away.
  const locked = async (merchant, work) => work(await load(merchant), (value) => save(merchant, value));
  return { load, locked };
}

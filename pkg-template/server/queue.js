/** `queued(merchant, work)` calls one `work` of a merchant at a time, and gives its result. */
export function queueOf() {
  const last = new Map();
  return function queued(merchant, work) {
    const done = (last.get(merchant) ?? Promise.resolve()).then(work);
    const forget = () => last.get(merchant) === settled && last.delete(merchant);
    const settled = done.then(forget, forget);
    last.set(merchant, settled);
    return done;
  };
}

// Whether the connection still stands: the merchant may have ended it, or switched e-receipts, elsewhere.
const FRESH = 15_000; // ms: an answer is good for so long
const EVERY = 60_000; // ms: a till that stands open asks by itself

/**
 * Calls `ask` once a minute while the page is seen, when it wakes, and by the function that this gives: not twice in
 * 15 seconds unless it is urgent, and no sooner than `ask` says by the milliseconds that it may give.
 */
export function upkeep(ask) {
  let next = -Infinity;
  const look = async (isUrgent = false) => {
    if (document.hidden || (!isUrgent && performance.now() < next)) return;
    next = performance.now() + FRESH;
    const rest = (await ask()) ?? 0;
    next = Math.max(next, performance.now() + rest);
  };
  for (const type of ["online", "pageshow"]) addEventListener(type, () => look());
  document.addEventListener("visibilitychange", () => look());
  setInterval(look, EVERY);
  return look;
}

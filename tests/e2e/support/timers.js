// Timers that wait for the test: on a busy machine it is chance whether a limit of the till comes before the next step.
import { eventually } from "./wait.js";

/** How long a till waits for the service before an order is printed, and sent later, in ms. */
export const ORDER_PATIENCE = 3_000;

/** For a page that Selenium does not drive: the body of a function whose arguments are the times in ms. */
export const HOLD = `
  if (!window.heldTimers) {
    const held = (window.heldTimers = new Map());
    let last = 1e9;
    for (const kind of ["Timeout", "Interval"]) {
      const { ["set" + kind]: set, ["clear" + kind]: clear } = window;
      window["set" + kind] = (call, ms, ...more) => {
        if (!held.has(ms)) return set(call, ms, ...more);
        held.get(ms).set((last += 1), { call, kind });
        return last;
      };
      window["clear" + kind] = (id) => {
        for (const timers of held.values()) timers.delete(id);
        clear(id);
      };
    }
  }
  for (const ms of arguments) if (!window.heldTimers.has(ms)) window.heldTimers.set(ms, new Map());`;

const END = `
  const timers = window.heldTimers.get(arguments[0]);
  const all = [...timers];
  for (const [id, { call, kind }] of all) {
    if (kind === "Timeout") timers.delete(id);
    call();
  }
  return all.length > 0;`;

/** From now on, timers of exactly so many ms that the page sets do not end by themselves. */
export const holdTimers = (window, ...ms) => window.executeScript(HOLD, ...ms);

/** The page's timers of so many ms end; waits until there is one. */
export const endTimers = (window, ms) => eventually(() => window.executeScript(END, ms), `No timer of ${ms} ms.`);

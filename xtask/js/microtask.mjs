// Stands in for `queueMicrotask` in the bundle. js-sys schedules its one task queue with it and takes it for granted
// that this works: if the page's own `queueMicrotask` threw once, no later call would ever settle.
export function queueMicrotask(task) {
  try {
    globalThis.queueMicrotask(task);
  } catch {
    Promise.resolve().then(task);
  }
}

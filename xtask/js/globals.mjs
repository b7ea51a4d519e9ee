// Stand in for globals in the bundle.

// js-sys schedules its one task queue with it and takes it for granted that this works: if the page's own
// `queueMicrotask` threw once, no later call would ever settle.
export function queueMicrotask(task) {
  try {
    globalThis.queueMicrotask(task);
  } catch {
    Promise.resolve().then(task);
  }
}

// wasm-bindgen's glue makes one of each as soon as it is imported, and Jest's jsdom has none. `init` says so.
export const TextDecoder =
  globalThis.TextDecoder ??
  class {
    decode() {}
  };
export const TextEncoder = globalThis.TextEncoder ?? class {};

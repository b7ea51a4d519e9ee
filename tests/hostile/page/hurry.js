// The clock that stands still, moved on and on: a wait of ten seconds is over in one. What the package measures, and
// when its timers run, is as long as ever by that clock.
import { advance, pause } from "./clock.js";

/** Each pause in real time is a step of the clock. A busy machine makes fewer of them, and no limit comes early. */
const PAUSE_MS = 5;
const STEP_MS = 50;
const LONGEST_MS = 1_000;
/** The package gives the storage ten seconds, and a busy machine makes long steps. */
const BEAT_AFTER_MS = 500;
/** A storage that has answered nothing for so long does not answer. */
const SILENT_MS = 60_000;

// As they are before a case spoils them.
const { now } = Date;
const { put } = IDBObjectStore.prototype;
const { transaction } = IDBDatabase.prototype;

const opened = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open("hurry");
    request.onupgradeneeded = () => request.result.createObjectStore("beats");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** One write to the disk. */
const write = (database) =>
  new Promise((resolve) => {
    const writing = transaction.call(database, "beats", "readwrite", { durability: "strict" });
    put.call(writing.objectStore("beats"), 1, "beat");
    // WebKit does not do it by itself once the page is left, and every later page's write would wait for this one.
    writing.commit();
    writing.oncomplete = resolve;
    writing.onabort = resolve;
  });

let database;

/** Resolves once the storage has written to the disk, or when it does not answer. */
export async function beat() {
  database ??= await opened();
  await Promise.race([write(database).catch(() => {}), pause(SILENT_MS)]);
}

/**
 * Begins. The clock goes on only while the storage answers: a slow disk takes nothing of the package's limits. A longer
 * pause is a longer step, where an engine has slowed down the timers of a page that it takes for hidden.
 */
export async function hurry() {
  await beat();
  const run = async () => {
    for (let passed = 0; ; ) {
      const began = now();
      await pause(PAUSE_MS);
      const step = Math.min(LONGEST_MS, Math.max(STEP_MS, now() - began));
      await advance(step);
      passed += step;
      if (passed < BEAT_AFTER_MS) continue;
      await beat();
      passed = 0;
    }
  };
  run();
}

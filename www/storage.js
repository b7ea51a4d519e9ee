// Storage may be forbidden, and anything may stand in it: then what it holds lasts as long as the page. `area` gives
// the storage, because its mere name may throw.
/** What was written, or null. */
export function read(area, key) {
  try {
    return JSON.parse(area().getItem(key));
  } catch {
    return null;
  }
}

export function write(area, key, value) {
  try {
    area().setItem(key, JSON.stringify(value));
  } catch (error) {
    console.error(error);
  }
}

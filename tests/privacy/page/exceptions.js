// What is found and is no leak, in one place.

/** What a keyboard's own event says before any listener could have stopped it. */
const isHardware = ({ place, where }) =>
  place === "events" && /^key(down|up|press)\./.test(where) && where.endsWith("before the keypad");

/** keyup reaches the page until the keypad stops it. The suite fails when it no longer comes: then this goes. */
const isKeyup = ({ place, where }) => place === "events" && where.startsWith("keyup.") && where.endsWith("behind the keypad");

/** Parts what was found in leaks and in how often the exception was needed. Runs a RegExp: only after `statics`. */
export function sorted(found) {
  const others = found.filter((one) => !isHardware(one));
  const leaks = others.filter((one) => !isKeyup(one));
  return { leaks, keyups: others.length - leaks.length };
}

// What is found and is no leak, in one place.

/** Of what was found in events, e.g. "keyup.key behind the keypad". */
export const typeOf = ({ where }) => where.slice(0, where.indexOf("."));

/** What a keyboard's own event says before any listener could have stopped it. */
const isHardware = (one) =>
  one.place === "events" && ["keydown", "keyup"].includes(typeOf(one)) && one.where.endsWith("before the keypad");

/** keyup reaches the page until the keypad stops it. The suite fails when it no longer comes: then this goes. */
const isKeyup = (one) => one.place === "events" && typeOf(one) === "keyup" && one.where.endsWith("behind the keypad");

/** Parts what was found in leaks, how often the exception was needed, and what the keyboard itself says. */
export function sorted(found) {
  const hardware = found.filter(isHardware);
  const others = found.filter((one) => !isHardware(one));
  const leaks = others.filter((one) => !isKeyup(one));
  return { leaks, keyups: others.length - leaks.length, hardware };
}

// What is found and is no leak, in one place.

/** The type of an event in which something was found, e.g. "keyup" of "keyup.key behind the keypad". */
export const typeOf = ({ where }) => where.slice(0, where.indexOf("."));

/** What a keyboard's own event says before any listener could have stopped it. */
const isHardware = (one) =>
  one.place === "events" && ["keydown", "keyup"].includes(typeOf(one)) && one.where.endsWith("before the keypad");

/** Parts what was found in leaks, and what the keyboard itself says. */
export function sorted(found) {
  return { leaks: found.filter((one) => !isHardware(one)), hardware: found.filter(isHardware) };
}

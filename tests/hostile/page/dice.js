// Random choices that a seed and a number decide, so that a step does the same in a shorter run.

/** mulberry32: 32 bits of state, good enough to choose by. */
export function dice(seed, number) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end) => Math.floor(random() * end);
  return { random, below, one: (list) => list[below(list.length)], chance: (of) => random() < of };
}

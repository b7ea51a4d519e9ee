/** The middle one. */
export const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
export const range = (numbers, digits = 2) =>
  `${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)}`;

/** Who comes second finds a warmer page: each is first in its turn, and the others follow forwards, then backwards. */
export const inTurn = (names, run) => {
  const from = run % names.length;
  const turned = [...names.slice(from), ...names.slice(0, from)];
  return Math.floor(run / names.length) % 2 ? turned.toReversed() : turned;
};

/** The median and the range of the runs' ratios, `above` to `below`. */
export const ratio = (above, below, digits = 2) => {
  const ratios = above.map((value, run) => value / below[run]);
  return `${median(ratios).toFixed(digits)} (${range(ratios, digits)})`;
};

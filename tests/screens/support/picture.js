// What a picture of the browser's shows: the contrast between its pixels.

const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);

function luminance({ data, width, height }, x, y) {
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  const at = (y * width + x) * 4;
  return 0.2126 * linear(data[at]) + 0.7152 * linear(data[at + 1]) + 0.0722 * linear(data[at + 2]);
}

const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

const OUTSIDE = 4; // px before the edge, where the control is not yet
const INSIDE = 5;

/** The best contrast on the way across an edge, from `step`s outside to inside. */
function across(picture, x, y, [dx, dy]) {
  const outside = luminance(picture, x - dx * OUTSIDE, y - dy * OUTSIDE);
  if (outside === null) return null;
  let best = 1;
  for (let step = -1; step <= INSIDE; step++) {
    const here = luminance(picture, x + dx * step, y + dy * step);
    if (here !== null) best = Math.max(best, contrast(outside, here));
  }
  return best;
}

/** The least contrast of a control's sides to what is around it, each side the median of three places. */
export function outline(picture, { left, top, right, bottom }) {
  const at = (from, to, part) => Math.floor(from + (to - from) * part);
  const sides = [
    (part) => across(picture, Math.round(left), at(top, bottom, part), [1, 0]),
    (part) => across(picture, Math.round(right) - 1, at(top, bottom, part), [-1, 0]),
    (part) => across(picture, at(left, right, part), Math.round(top), [0, 1]),
    (part) => across(picture, at(left, right, part), Math.round(bottom) - 1, [0, -1]),
  ];
  const medians = sides
    .map((side) => [0.4, 0.5, 0.6].map(side).filter((value) => value !== null))
    .filter((values) => values.length === 3)
    .map((values) => values.sort((a, b) => a - b)[1]);
  return Math.min(...medians);
}

// What a picture shows: the pixels of a PNG of the browser's, and the contrast between them.
import { inflateSync } from "node:zlib";

const CHANNELS = { 2: 3, 6: 4 };

/** Reads a PNG of 8 bits a channel, without interlacing: what browsers write. */
export function decode(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = CHANNELS[png[25]];
  if (png[24] !== 8 || !channels || png[28] !== 0) throw new Error("This is not a PNG as browsers write it.");
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  return { width, height, channels, rows };
}

function unfilter(raw, stride, height, channels) {
  const rows = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    const [from, to] = [y * (stride + 1) + 1, y * stride];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? rows[to + x - channels] : 0;
      const up = y > 0 ? rows[to + x - stride] : 0;
      const corner = x >= channels && y > 0 ? rows[to + x - stride - channels] : 0;
      rows[to + x] = raw[from + x] + predicted(filter, left, up, corner);
    }
  }
  return rows;
}

function predicted(filter, left, up, corner) {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);

function luminance({ rows, width, height, channels }, x, y) {
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  const at = (y * width + x) * channels;
  return 0.2126 * linear(rows[at]) + 0.7152 * linear(rows[at + 1]) + 0.0722 * linear(rows[at + 2]);
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

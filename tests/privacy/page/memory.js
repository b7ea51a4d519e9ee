// The module's memory: taken when it is loaded, and searched for a number in each way in which one may be kept.
import { GAP, SCRIPTS, codeOf } from "./digits.js";

const memories = new Set();

function take(instance, imports) {
  const modules = [instance.exports, ...Object.values(imports ?? {})];
  for (const value of modules.flatMap((module) => Object.values(module))) {
    if (value instanceof WebAssembly.Memory) memories.add(value);
  }
}

for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (source, imports, ...more) => {
    const result = await original.call(WebAssembly, source, imports, ...more);
    take(result.instance ?? result, imports);
    return result;
  };
}

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(target, [module, imports]) {
    const instance = new target(module, imports);
    take(instance, imports);
    return instance;
  },
});

/** How many memories were seen. */
export const count = () => memories.size;

/** The self-test's own. */
export const add = (memory) => memories.add(memory);
export const remove = (memory) => memories.delete(memory);

const utf8 = (code) => [...new TextEncoder().encode(String.fromCodePoint(code))];
const utf16 = (code) => [code & 0xff, code >> 8];
const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Each way: the bytes of each digit, and how many others may stand between two. */
const WAYS = [
  // For ASCII the gap covers UTF-16 and UTF-32 as well.
  { way: "text, ascii", gap: GAP, digits: DIGITS.map((digit) => utf8(codeOf(digit, "ascii"))) },
  ...SCRIPTS.slice(1).flatMap((script) => [
    { way: `UTF-8, ${script}`, gap: GAP, digits: DIGITS.map((digit) => utf8(codeOf(digit, script))) },
    { way: `UTF-16, ${script}`, gap: GAP, digits: DIGITS.map((digit) => utf16(codeOf(digit, script))) },
  ]),
  ...[1, 2, 4, 8].map((size) => ({
    way: `values of ${8 * size} bits`,
    gap: 0,
    digits: DIGITS.map((digit) => [digit, ...Array(size - 1).fill(0)]),
  })),
];

/** The ways in which the number stands in memory; an empty list if in none. */
export function found(number) {
  const found = new Set();
  for (const memory of memories) {
    const bytes = new Uint8Array(memory.buffer);
    search(bytes, number, found);
    searchIntegers(bytes, number, found);
  }
  return [...found];
}

function search(bytes, number, found) {
  const core = [...number.core].map(Number);
  const ways = WAYS.map(({ way, gap, digits }) => ({ way, gap, needle: core.map((digit) => digits[digit]) }));
  const starts = Array(256).fill(undefined);
  for (const one of ways) (starts[one.needle[0][0]] ??= []).push(one);
  for (let at = 0; at < bytes.length; at += 1) {
    const candidates = starts[bytes[at]];
    if (candidates === undefined) continue;
    for (const { way, gap, needle } of candidates) if (matches(bytes, at, needle, gap)) found.add(way);
  }
}

function matches(bytes, start, needle, gap) {
  let at = start;
  for (const [index, digit] of needle.entries()) {
    const end = at + (index === 0 ? 0 : gap);
    while (at <= end && !isAt(bytes, at, digit)) at += 1;
    if (at > end) return false;
    at += digit.length;
  }
  return true;
}

function isAt(bytes, at, digit) {
  for (let index = 0; index < digit.length; index += 1) if (bytes[at + index] !== digit[index]) return false;
  return true;
}

/** The number as one integer or float, wherever the compiler may have put it. */
function searchIntegers(bytes, number, found) {
  for (const digits of [number.digits, number.withCode]) {
    const eight = new DataView(new ArrayBuffer(8));
    eight.setBigUint64(0, BigInt(digits), true);
    const size = BigInt(digits) < 1n << 32n ? 4 : 8;
    if (indexOf(bytes, new Uint8Array(eight.buffer, 0, size)) >= 0) found.add("integer");
    eight.setFloat64(0, Number(digits), true);
    if (indexOf(bytes, new Uint8Array(eight.buffer)) >= 0) found.add("float");
  }
}

function indexOf(bytes, needle) {
  // Memory is full of zeros.
  const lead = needle.findIndex((byte) => byte !== 0);
  for (let at = bytes.indexOf(needle[lead], lead); at >= 0; at = bytes.indexOf(needle[lead], at + 1)) {
    if (needle.every((byte, index) => bytes[at - lead + index] === byte)) return at - lead;
  }
  return -1;
}

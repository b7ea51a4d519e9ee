// Numbers that nobody knows beforehand, and how to find them again in a text.

import { dice } from "./dice.js";

/** The same draws in each run, and others in each page. */
const seed = [...location.search].reduce((sum, character) => 31 * sum + character.codePointAt(0), 0);
let drawn = 0;

/** The code point of each script's zero. */
const ZEROS = { ascii: 0x30, arabicIndic: 0x660, persian: 0x6f0, fullWidth: 0xff10 };
export const SCRIPTS = Object.keys(ZEROS);
/** What may stand between two digits of one number, e.g. ") -". */
export const GAP = 3;
/** So many digits in a row are no accident. */
const PART = 4;

/** The digit that a code point stands for, or -1. */
export function valueOf(code) {
  for (const zero of Object.values(ZEROS)) if (code >= zero && code <= zero + 9) return code - zero;
  return -1;
}

export const codeOf = (digit, script) => ZEROS[script] + digit;

/** ASCII digits in another script; a plus stays. */
export function written(digits, script) {
  const write = (digit) => (digit === "+" ? digit : String.fromCharCode(codeOf(Number(digit), script)));
  return [...digits].map(write).join("");
}

const PLANS = {
  // All of these are valid.
  IL: { trunk: "0", code: "972", prefix: "52", random: 7 },
  DE: { trunk: "0", code: "49", prefix: "151", random: 8 },
};

/**
 * A drawn number, never a constant: that would stand in the test page's own memory. `core` is what is looked for: six
 * digits that are in each of its forms, even if the last digit is missing.
 */
export function randomNumber(region = "IL") {
  const { trunk, code, prefix, random } = PLANS[region];
  const { below } = dice(seed, (drawn += 1));
  const draws = Array.from({ length: random }, () => below(256));
  // Neither 0, which all memory is full of, nor 1, which no Israeli number has there.
  const digits = draws.map((draw, at) => (at === 0 ? 2 + (draw % 8) : draw % 10)).join("");
  // What events carry beside their key may be the same digit again and again.
  if (new Set(digits.slice(0, 6)).size < 4) return randomNumber(region);
  return {
    core: digits.slice(0, 6),
    digits: prefix + digits,
    typed: trunk + prefix + digits,
    withCode: code + prefix + digits,
    e164: `+${code}${prefix}${digits}`,
  };
}

/** The digits of a text, whatever their script; `|` where two of them are too far apart for one number. */
export function folded(text) {
  let digits = "";
  let gap = 0;
  for (const character of text) {
    const value = valueOf(character.codePointAt(0));
    if (value < 0) {
      gap += 1;
    } else {
      digits += gap > GAP ? `|${value}` : value;
      gap = 0;
    }
  }
  return digits;
}

export const holds = (text, number) => folded(text).includes(number.core);

/** Whether it is a digit that somebody pressed, or holds some of the number's in a row. */
export function holdsPart(text, number) {
  const digits = folded(text);
  if (digits.length === 1 && text.length === 1) return true;
  const whole = `${number.withCode}|${number.typed}`;
  for (let at = 0; at + PART <= digits.length; at += 1) if (whole.includes(digits.slice(at, at + PART))) return true;
  return false;
}

import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

// Storage engines compress, cut into pages and leave out what they have seen before; but not within so few characters
// of a random text.
const PIECE = 12;

// Shorter ones stand somewhere by chance.
const SHORTEST = 9;

/** The files below `folder` that hold a piece of one of the `secrets`, in one byte a character or two. */
export async function filesWith(folder, ...secrets) {
  const needles = secrets.flatMap(piecesOf);
  const found = [];
  for await (const path of filesBelow(folder)) {
    const bytes = (await unlessGone(readFile(path))) ?? "";
    if (needles.some((needle) => bytes.includes(needle))) found.push(basename(path));
  }
  return found;
}

/** Not `readdir`'s `recursive`, which fails if a running browser deletes a folder meanwhile. */
export async function* filesBelow(folder) {
  for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function piecesOf(secret) {
  if (secret.length < SHORTEST) throw new Error("The secret is too short to be looked for.");
  const pieces = [];
  for (let at = 0; at === 0 || at + PIECE <= secret.length; at += PIECE / 2) {
    const piece = secret.slice(at, at + PIECE);
    pieces.push(Buffer.from(piece, "latin1"), Buffer.from(piece, "utf16le"));
  }
  return pieces;
}

/** `undefined` for what a running browser has just deleted. */
const unlessGone = (reading) =>
  reading.catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });

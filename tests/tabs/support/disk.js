import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

// Storage engines compress, cut into pages and leave out what they have seen before; but not within so few characters
// of a random text.
const PIECE = 12;

// Shorter ones stand somewhere by chance.
const SHORTEST = 9;

/** The files below `folder` that hold a piece of one of the `secrets`, in one byte a character or two. */
export async function filesWith(folder, ...secrets) {
  const needles = secrets.flatMap(piecesOf);
  const found = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await contents(join(entry.parentPath ?? entry.path, entry.name));
    if (needles.some((needle) => bytes.includes(needle))) found.push(entry.name);
  }
  return found;
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

/** A file that a running browser has just deleted is empty. */
const contents = (path) =>
  readFile(path).catch((error) => {
    if (error.code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  });

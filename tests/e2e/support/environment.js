// What the suite needs to be told. Nothing is guessed, nothing is downloaded.
import { existsSync } from "node:fs";

export const ENGINES = ["chromium", "firefox", "webkit"];

/** The value of an environment variable that must name an existing file or folder. */
export function pathFrom(name) {
  const path = process.env[name];
  if (!path) throw new Error(`${name} is not set. See tests/e2e/README.md.`);
  if (!existsSync(path)) throw new Error(`${name} names nothing that exists: ${path}`);
  return path;
}

export function engine() {
  const name = process.env.POS_ENGINE;
  if (!ENGINES.includes(name))
    throw new Error(`POS_ENGINE must be one of ${ENGINES.join(", ")}; it is ${name ?? "not set"}.`);
  return name;
}

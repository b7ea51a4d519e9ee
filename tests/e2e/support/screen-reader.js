// Orca, with what it says in a file instead of a loudspeaker. It needs a display and a session bus of its own.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endTree, PATIENTLY, Program } from "./process.js";

const BUS = "/usr/libexec/at-spi-bus-launcher";
const QUIET = 2000; // ms without a word, after which it has said what it had to say
const LONGEST = 60_000; // ms
const SPOKEN = /SPEECH OUTPUT: '(.*?)'(?:\s*\{.*\})?\r?$/gm;

/** Tells programs that somebody listens: else they keep no tree for a screen reader. */
const property = (name) => [
  "--session",
  "--dest=org.a11y.Bus",
  "--print-reply",
  "/org/a11y/bus",
  "org.freedesktop.DBus.Properties.Set",
  "string:org.a11y.Status",
  `string:${name}`,
  "variant:boolean:true",
];

/** A screen reader that writes down what it says. */
export class ScreenReader {
  #folder;
  #programs;
  #read = 0;

  constructor(folder, programs) {
    this.#folder = folder;
    this.#programs = programs;
  }

  /** Starts it, and waits until it says so. A browser must be started after it. */
  static async start() {
    const folder = await mkdtemp(join(tmpdir(), "pos-connect-orca-"));
    const env = { HOME: folder, XDG_RUNTIME_DIR: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    // No voice: while one reads a page aloud, Orca says nothing else.
    env.SPEECHD_ADDRESS = "unix_socket:/dev/null";
    const bus = new Program(BUS, ["--launch-immediately"], { env });
    for (const name of ["IsEnabled", "ScreenReaderEnabled"]) {
      const asked = new Program("dbus-send", property(name));
      if ((await asked.exited) !== 0) throw new Error(`There is no bus for screen readers:\n${asked.output}`);
    }
    // Into a terminal Orca writes each line at once, into a file whenever there are 8 KB.
    const orca = new Program("script", ["-qfc", "orca --replace --debug-file=/dev/tty", join(folder, "orca.log")], {
      env,
    });
    const reader = new ScreenReader(folder, [orca, bus]);
    await orca.until("a word of Orca's", async () => (await reader.says()).length > 0);
    return reader;
  }

  /** What it has said since the last call, once it was quiet for so many milliseconds. */
  async says(quiet = QUIET) {
    const deadline = Date.now() + LONGEST;
    let length = -1;
    for (;;) {
      const text = await readFile(join(this.#folder, "orca.log"), "utf8").catch(() => "");
      const said = Array.from(text.matchAll(SPOKEN), ([, words]) => words.trim());
      const isQuiet = said.length === length;
      length = said.length;
      if (isQuiet || Date.now() > deadline) {
        const news = said.slice(this.#read);
        this.#read = said.length;
        return news.filter((words) => words !== "");
      }
      await sleep(quiet);
    }
  }

  async stop() {
    for (const program of this.#programs) await endTree(program);
    await rm(this.#folder, PATIENTLY);
  }
}

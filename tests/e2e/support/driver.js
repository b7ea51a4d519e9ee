import { engine, pathFrom } from "./environment.js";
import { endTree, freePort, Program } from "./process.js";
import { inTime } from "./wait.js";

const STARTS = 3;
const STARTS_WITHIN_MS = 80_000; // all three are within the 300 s that a file has for its start

// A driver that may choose its port prints it: one that was free a moment ago may be another program's by now.
const drivers = {
  chromium: {
    variable: "CHROMEDRIVER",
    options: async () => ["--port=0"],
    listening: /was started successfully on port (\d+)/,
  },
  firefox: {
    variable: "GECKODRIVER",
    // Its own choice for the second is 9222, for every Firefox of the machine.
    options: async () => ["--port=0", "--websocket-port=0"],
    listening: /Listening on 127\.0\.0\.1:(\d+)/,
  },
  webkit: { variable: "SAFARIDRIVER", options: async () => [`--port=${await freePort()}`] },
};

/**
 * The program that `start()` gives, and what `open(program)` opens with it. A browser that does not come up says
 * nothing about what is tested: it is started again, {@link STARTS} times in all. WebKit can hang for ever.
 */
export async function startBrowser(start, open) {
  for (let tries = 1; ; tries++) {
    const program = await start();
    // After a crash WebKit's driver leaves a command without an answer, or says this, as Chromium's does.
    program.endAt("WebProcess CRASHED", "session deleted because of page crash");
    try {
      return { program, opened: await inTime(STARTS_WITHIN_MS, open(program), "The browser did not open in time.") };
    } catch (error) {
      await endTree(program);
      if (tries === STARTS) throw error;
      console.log(`${engine()} did not start (${tries} of ${STARTS}): ${error.message}`);
    }
  }
}

/** Starts the engine's own driver and gives what `open(url)` opens with it. */
export function startDriver({ env = {} }, open) {
  const { variable, options } = drivers[engine()];
  let given;
  const start = async () => new Program(pathFrom(variable), (given = await options()), { env });
  return startBrowser(start, async (program) => open(await urlOf(program, given)));
}

/** Where the driver listens, once it does. */
async function urlOf(program, [port]) {
  const { listening } = drivers[engine()];
  const chosen = listening
    ? await program.until("port", () => listening.exec(program.output)?.[1])
    : port.split("=")[1];
  const url = `http://127.0.0.1:${chosen}`;
  await program.until("driver", async () => {
    const response = await fetch(`${url}/status`).catch(() => null);
    return response?.ok && (await response.json()).value.ready;
  });
  return url;
}

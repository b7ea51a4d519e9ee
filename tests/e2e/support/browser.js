import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Builder } from "selenium-webdriver";
import { engine, pathFrom } from "./environment.js";
import { endTree, freePort, Program } from "./process.js";

const WEBKIT_FOLDER = "/usr/lib/x86_64-linux-gnu";

// Chromium asks its maker for updates, experiments and a component list; a test must not talk to anybody. As root it
// has no sandbox.
const CHROMIUM_ARGUMENTS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--hide-scrollbars",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// MiniBrowser's window is no narrower than its toolbar: 447 pixels, too wide for a phone. So the toolbar shrinks.
const SMALL_TOOLBAR = `toolbar *, headerbar *, entry, button { min-width: 0; min-height: 0; padding: 0; margin: 0; font-size: 1px; -gtk-icon-transform: scale(.1); }
toolbar, headerbar { padding: 0; min-height: 0; }`;

const engines = {
  chromium: {
    driver: "CHROMEDRIVER",
    capabilities: (profile) => ({
      browserName: "chrome",
      "goog:chromeOptions": {
        ...browserAt(process.env.POS_CHROMIUM, "/usr/bin/chromium"),
        args: [...CHROMIUM_ARGUMENTS, `--user-data-dir=${profile}`],
      },
    }),
  },
  firefox: {
    driver: "GECKODRIVER",
    // Its own choice is 9222, for every Firefox of the machine.
    options: async () => [`--websocket-port=${await freePort()}`],
    // Without a folder that is kept geckodriver makes one of its own.
    capabilities: (profile, kept) => ({
      browserName: "firefox",
      "moz:firefoxOptions": {
        ...browserAt(process.env.POS_FIREFOX, "/usr/bin/firefox-esr"),
        args: kept ? ["-headless", "-profile", profile] : ["-headless"],
      },
      webSocketUrl: true,
    }),
  },
  webkit: {
    driver: "WEBKITWEBDRIVER",
    capabilities: () => {
      if (!process.env.DISPLAY) throw new Error("WebKit's MiniBrowser needs a display: run under xvfb-run.");
      return {
        browserName: "MiniBrowser",
        "webkitgtk:browserOptions": { binary: miniBrowser(), args: ["--automation"] },
      };
    },
  },
};

/** The browser that was asked for, else Debian's; where that is not, the driver looks for one. */
function browserAt(asked, debian) {
  if (asked) return { binary: asked };
  return existsSync(debian) ? { binary: debian } : {};
}

/** Where WebKit's own small browser is. */
export function miniBrowser() {
  if (process.env.POS_MINIBROWSER) return process.env.POS_MINIBROWSER;
  const folder = readdirSync(WEBKIT_FOLDER).find((name) => /^webkit2gtk-4\.\d$/.test(name));
  if (!folder) throw new Error(`No webkit2gtk-4.* in ${WEBKIT_FOLDER}. Set POS_MINIBROWSER.`);
  return join(WEBKIT_FOLDER, folder, "MiniBrowser");
}

/**
 * Starts the engine's own driver and opens a window. Selenium's manager, which downloads, is never asked.
 * @param {{ profile?: string }} kept a folder for the browser's data, which stays; WebKit keeps none under automation
 */
export async function openBrowser({ profile: kept } = {}) {
  const { driver: variable, options = () => [], capabilities } = engines[engine()];
  const profile = kept ?? (await mkdtemp(join(tmpdir(), "pos-connect-profile-")));
  const port = await freePort();
  await mkdir(join(profile, "gtk-3.0"), { recursive: true });
  await writeFile(join(profile, "gtk-3.0", "gtk.css"), SMALL_TOOLBAR);
  const env = engine() === "webkit" ? { XDG_CONFIG_HOME: profile } : {};
  const program = new Program(pathFrom(variable), [`--port=${port}`, ...(await options())], { env });
  const url = `http://127.0.0.1:${port}`;
  let window;
  try {
    await program.until("driver", () =>
      fetch(`${url}/status`).then(
        (response) => response.ok,
        () => false,
      ),
    );
    window = await new Builder()
      .usingServer(url)
      .withCapabilities(capabilities(profile, kept !== undefined))
      .build();
  } catch (error) {
    await program.stop();
    throw error;
  }
  return {
    window,
    async close() {
      await window.quit().catch(() => {}); // A browser that died is the test's failure, not the clean-up's.
      await program.stop();
      if (!kept) await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
    /** A power cut: the browser, its helpers and the driver end at once, without a chance to write anything. */
    kill: () => endTree(program),
  };
}

/** Gives the page `width` × `height` CSS pixels; fails if the engine will not. */
export async function resize(window, width, height) {
  if (engine() === "chromium") {
    await window.sendDevToolsCommand("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: width < 500,
    });
  } else if (engine() === "firefox") {
    // Firefox's windows are no narrower than 450 pixels; its viewport can be, through WebDriver BiDi.
    const bidi = await window.getBidi();
    const context = await window.getWindowHandle();
    const answer = await bidi.send({
      method: "browsingContext.setViewport",
      params: { context, viewport: { width, height } },
    });
    if (answer.type === "error") throw new Error(`${answer.error}: ${answer.message}`);
  } else {
    const [chromeWidth, chromeHeight] = await window.executeScript(
      "return [outerWidth - innerWidth, outerHeight - innerHeight]",
    );
    await window
      .manage()
      .window()
      .setRect({ x: 0, y: 0, width: width + chromeWidth, height: height + chromeHeight });
  }
  const deadline = Date.now() + 3000;
  let got;
  do got = await window.executeScript("return [innerWidth, innerHeight]");
  while ((got[0] !== width || got[1] !== height) && Date.now() < deadline);
  if (got[0] !== width || got[1] !== height)
    throw new Error(`Asked ${engine()} for ${width}×${height}, got ${got.join("×")}.`);
}

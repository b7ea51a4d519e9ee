import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Builder } from "selenium-webdriver";
import { startDriver } from "./driver.js";
import { engine } from "./environment.js";
import { endTree, PATIENTLY } from "./process.js";
import { becomes } from "./wait.js";

const LONGEST_SCRIPT = 120_000; // ms
const WEBKIT_FOLDER = "/usr/lib/x86_64-linux-gnu";
const FONTS = fileURLToPath(new URL("../fonts.conf", import.meta.url));

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
const SMALL_TOOLBAR = `toolbar *, headerbar *, entry, button {
  min-width: 0; min-height: 0; padding: 0; margin: 0; font-size: 1px; -gtk-icon-transform: scale(.1);
}
toolbar, headerbar { padding: 0; min-height: 0; }`;

/** The capabilities of each engine's window. */
const engines = {
  chromium: (profile) => ({
    browserName: "chrome",
    "goog:chromeOptions": {
      ...browserAt(process.env.POS_CHROMIUM, "/usr/bin/chromium"),
      args: [...CHROMIUM_ARGUMENTS, `--user-data-dir=${profile}`],
    },
  }),
  // Without a folder that is kept geckodriver makes one of its own.
  firefox: (profile, { isKept, isShown }) => ({
    browserName: "firefox",
    "moz:firefoxOptions": {
      ...browserAt(process.env.POS_FIREFOX, "/usr/bin/firefox-esr"),
      args: [...(isShown ? [] : ["-headless"]), ...(isKept ? ["-profile", profile] : [])],
    },
    webSocketUrl: true,
  }),
  webkit: () => {
    if (!process.env.DISPLAY)
      throw new Error("WebKit's MiniBrowser needs a display: run under workbench/src/display.sh.");
    return {
      browserName: "MiniBrowser",
      "webkitgtk:browserOptions": { binary: miniBrowser(), args: ["--automation"] },
    };
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
 * @param {{ profile?: string, isShown?: boolean }} choices `profile`: a folder for the browser's data, which stays;
 * WebKit keeps none under automation. `isShown`: Firefox on the display that there is.
 */
export async function openBrowser({ profile: kept, isShown = false } = {}) {
  const profile = kept ?? (await mkdtemp(join(tmpdir(), "pos-connect-profile-")));
  await mkdir(join(profile, "gtk-3.0"), { recursive: true });
  await writeFile(join(profile, "gtk-3.0", "gtk.css"), SMALL_TOOLBAR);
  // Else a receipt that a test saves would be in its user's own folder.
  await writeFile(join(profile, "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${profile}"\n`);
  const env = { XDG_CONFIG_HOME: profile };
  // `../screens` measures texts in Chromium alone. Firefox makes some lines higher where it has no other typeface.
  if (engine() === "chromium") env.FONTCONFIG_FILE = process.env.FONTCONFIG_FILE ?? FONTS;
  const { program, opened: window } = await startDriver({ env }, async (url) => {
    const capabilities = engines[engine()](profile, { isKept: kept !== undefined, isShown });
    const window = await new Builder().usingServer(url).withCapabilities(capabilities).build();
    // axe asks for its time on a busy machine.
    await window.manage().setTimeouts({ script: LONGEST_SCRIPT });
    // Made here, a connection that cannot be made is a start that failed.
    if (engine() === "firefox") await window.getBidi();
    return window;
  });
  return {
    window,
    async close() {
      await window.quit().catch(() => {}); // A browser that died is the test's failure, not the clean-up's.
      await program.stop();
      if (!kept) await rm(profile, PATIENTLY);
    },
    /** A power cut: the browser, its helpers and the driver end at once, without a chance to write anything. */
    kill: () => endTree(program),
  };
}

/** Gives the page `width` × `height` CSS pixels; fails if the engine will not. Only Chromium has a `scale`. */
export async function resize(window, width, height, scale = 1) {
  if (engine() === "chromium") {
    await window.sendDevToolsCommand("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: scale,
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
  const size = () => window.executeScript("return [innerWidth, innerHeight]");
  await becomes(size, [width, height], `The size of ${engine()}'s page`);
}

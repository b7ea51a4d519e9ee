import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { violations } from "../../e2e/support/axe.js";
import { openBrowser, resize } from "../../e2e/support/browser.js";
import { pathFrom } from "../../e2e/support/environment.js";
import { pixels } from "../../e2e/support/screenshot.js";
import { Service } from "../../e2e/support/service.js";
import { LIMIT } from "../../e2e/support/wait.js";
import { direction, LANGUAGES, THEMES, title, views } from "./matrix.js";
import { writeOverview } from "./overview.js";
import { outline } from "./picture.js";

const PACE = 50; // ms between two looks
const LONGEST_SCRIPT = 180_000; // ms: axe reads a long page, on a machine that does much else
const LEAST = 48; // CSS px, of everything that is pressed
const LEAST_KEY = 64; // of a key
const LEAST_CONTRAST = 3; // WCAG 1.4.11
const TO_THE_START = 'for (const at of document.querySelectorAll("*")) at.scrollTop = 0;';
const AUDIT = await readFile(new URL("audit.js", import.meta.url), "utf8");
const PAGE = fileURLToPath(new URL("../page", import.meta.url));

/** One service and one browser for the states of a file. `options`: the service's, see `Service.start`. */
export function stage(name, options = {}) {
  const stage = new Stage(name, options);
  before(() => stage.start(), { timeout: 300_000 });
  after(() => stage.stop(), { timeout: 180_000 });
  return stage;
}

class Stage {
  #name;
  #options;
  #folder;
  #browser;
  #states = 0;
  #shots = [];

  constructor(name, options) {
    this.#name = name;
    this.#options = options;
  }

  async start() {
    this.#folder = await mkdtemp(join(tmpdir(), "pos-connect-screens-"));
    await cp(pathFrom("POS_TILL_DIR"), this.#folder, { recursive: true });
    await cp(PAGE, this.#folder, { recursive: true });
    this.service = await Service.start({ ...this.#options, till: this.#folder });
    this.#browser = await openBrowser();
    this.window = this.#browser.window;
    await this.window.manage().setTimeouts({ script: LONGEST_SCRIPT });
    await this.open();
  }

  async stop() {
    await this.#browser?.close();
    await this.service?.stop();
    await rm(this.#folder, { recursive: true, force: true });
    if (process.env.POS_SCREENSHOTS) await writeOverview(process.env.POS_SCREENSHOTS, this.#name, this.#shots);
  }

  /** The page that the package shows its things in, or another one, in a browser that remembers nothing. */
  async open(page = "screens.html", isReady = "return document.documentElement.dataset.ready !== undefined") {
    const url = new URL(page, this.service.tillUrl);
    await this.window.get("about:blank");
    await this.window.sendDevToolsCommand("Storage.clearDataForOrigin", { origin: url.origin, storageTypes: "all" });
    await this.window.get(url.href);
    await this.until(isReady, "The page never came.");
  }

  run(script, ...args) {
    return this.window.executeScript(script, ...args);
  }

  async until(script, message, ...args) {
    await this.window.wait(() => this.run(script, ...args), LIMIT, message, PACE);
  }

  /** Calls a function of `screens`, the page's. */
  call(name, ...args) {
    return this.window
      .executeAsyncScript(
        `const [name, args, done] = arguments;
      const called = Promise.resolve(screens[name](...args));
      called.then((value) => done({ value }), (error) => done({ error: String(error) }));`,
        name,
        args,
      )
      .then(({ value, error }) => {
        assert.equal(error, undefined);
        return value;
      });
  }

  /**
   * A state in every view of the matrix. `enter(view)` makes it, and it stays as it is. `parts` are what is looked at:
   * an element, of the page or of a frame. `audit.js` looks at each, unless `audit` is false, and axe once in each
   * theme, unless `axe` is false; it counts what it could not decide, unless `undecided` is false. Where a view
   * `scrolls`, not all need be in sight; what is `below` need never be. No text is smaller than a view's `leastText`.
   * `forced`: in the colors that a system forces upon all pages.
   */
  state(name, { enter, parts, forced = false, ...limits }) {
    const at = this.#states++;
    for (const language of LANGUAGES) {
      // A system that forces its colors knows no theme, and axe sees the page's own colors.
      const all = views(language, at).map((view) => (forced ? { ...view, theme: "light", forced } : view));
      if (all.length === 0) continue;
      // The largest of each theme: what is scrolled out of sight has no colors that axe could judge.
      const judged = THEMES.map((theme) => all.findLast((view) => view.theme === theme));
      test(`${this.#name}: ${name}, ${language}`, async () => {
        const flaws = [];
        for (const [place, view] of all.entries()) {
          await this.dress(view);
          if (place === 0) {
            await enter(view);
            await this.dress(view);
          }
          const { found, png } = await this.look(view, parts, { ...limits, isJudged: judged.includes(view) });
          await this.#keep(name, view, png, found);
          flaws.push(...found.map((flaw) => `${title(view)}: ${flaw}`));
        }
        assert.ok(flaws.length === 0, flaws.join("\n"));
      });
    }
  }

  async dress({ size, percent, language, theme, forced = false }) {
    await resize(this.window, ...size);
    // The browser's own setting, as a person changes it: media queries in `rem` follow it, too.
    const fontSizes = { standard: (16 * percent) / 100, fixed: (13 * percent) / 100 };
    await this.window.sendDevToolsCommand("Page.setFontSizes", { fontSizes });
    const features = forced ? [{ name: "forced-colors", value: "active" }] : [];
    await this.window.sendDevToolsCommand("Emulation.setEmulatedMedia", { features });
    await this.run(
      `const { documentElement: root } = document;
      [root.lang, root.dir] = arguments;
      root.style.colorScheme = root.dataset.theme = arguments[2];
      ${TO_THE_START}`,
      language,
      direction(language),
      theme,
    );
    if (forced) return;
    // The dialog, or what stands inline, follows the page at its next look, and the frame that.
    const follows = `const around = document.querySelector(".pos-connect-dialog, .pos-connect-body");
      return !around || around.style.colorScheme === arguments[0];`;
    await this.until(follows, "What is around the frame does not follow.", theme);
  }

  /** What is wrong with what is shown, and the picture of it. */
  async look(view, parts, { scrolls, below, leastText, leastKey = LEAST_KEY, contrast = LEAST_CONTRAST, isJudged }) {
    const wanted = {
      scrolls: scrolls?.(view) ?? "nothing",
      below,
      leastText: leastText?.(view) ?? 0,
      leastKey,
      least: LEAST,
    };
    const audits = [];
    for (const part of parts) audits.push(await this.#audit(part, view, wanted, isJudged));
    const found = audits.flatMap((part) => part.flaws);
    const png = Buffer.from(await this.window.takeScreenshot(), "base64");
    const picture = pixels(png);
    for (const edge of audits.flatMap((part) => part.edges)) {
      const measured = outline(picture, edge);
      if (measured < contrast) found.push(`faint: ${edge.name} ${measured.toFixed(2)}:1`);
    }
    return { found, png };
  }

  async #audit({ scope, frame, audit = true, axe = true, undecided = true }, { theme }, wanted, isJudged) {
    await this.#painted();
    const [x, y] = frame ? await this.#enterFrame(frame, theme) : [0, 0];
    const audited = audit ? await this.run(`${AUDIT}\nreturn audit(arguments[0]);`, { scope, ...wanted }) : {};
    const { flaws = [], edges = [] } = audited;
    if (isJudged && axe)
      flaws.push(...(await violations(this.window, scope === "keypad" ? "ereceipt-keypad" : scope, { undecided })));
    if (frame) {
      await this.window.switchTo().defaultContent();
      // What is scrolled to in a frame scrolls what is around it, too.
      await this.run(TO_THE_START);
    }
    const move = ({ name, left, right, top, bottom }) => ({
      name,
      left: left + x,
      right: right + x,
      top: top + y,
      bottom: bottom + y,
    });
    return { flaws, edges: edges.map(move) };
  }

  /** Two frames: the styles are there, and on the screen; no color is on its way to another. */
  #painted() {
    return this.window.executeAsyncScript(`
      const [done] = arguments;
      const roots = [document, ...Array.from(document.querySelectorAll("ereceipt-keypad"), (host) => host.shadowRoot)];
      const isDone = () => {
        for (const change of roots.flatMap((root) => root?.getAnimations() ?? []))
          if (change instanceof CSSTransition) change.finish();
        done();
      };
      requestAnimationFrame(() => requestAnimationFrame(isDone));`);
  }

  /** Gives where the frame stands in the page. */
  async #enterFrame(css, theme) {
    const frame = await this.window.findElement({ css });
    const script = "const { left, top } = arguments[0].getBoundingClientRect(); return [left, top];";
    const offset = await this.run(script, frame);
    await this.window.switchTo().frame(frame);
    const follows = "return document.documentElement.dataset.theme === arguments[0]";
    await this.until(follows, "The frame does not follow.", theme);
    await this.#painted();
    return offset;
  }

  async #keep(state, view, png, flaws) {
    const folder = process.env.POS_SCREENSHOTS;
    if (!folder) return;
    const file = `${this.#name}-${state.replaceAll(" ", "-")}-${title(view)}.png`;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, file), png);
    this.#shots.push({ file, state, view, flaws });
  }
}

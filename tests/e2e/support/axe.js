import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Violations in `scope`, each with the elements it was found at, and what axe could not decide, if it is to be counted.
 * The page of a frame is looked at from inside it.
 */
export async function violations(window, scope, { undecided = true } = {}) {
  if (!(await window.executeScript("return typeof axe === 'object'"))) await window.executeScript(AXE);
  const result = await window.executeAsyncScript(
    `
    const [scope, tags, undecided, done] = arguments;
    // A color on its way from one to another is not what is judged.
    const shadows = Array.from(document.querySelectorAll("*"), (element) => element.shadowRoot).filter(Boolean);
    const moving = [document, ...shadows].flatMap((root) => root.getAnimations());
    // Progress never ends.
    const ending = moving.filter((animation) => animation.effect.getComputedTiming().endTime < Infinity);
    const NO_FRAMES = { iframes: false, rules: { "frame-tested": { enabled: false } } };
    const place = (rule, { target, failureSummary }) =>
      rule.id + ": " + target.flat().join(" ") + ": " + (failureSummary ?? "").replace(/\\s+/g, " ");
    Promise.allSettled(ending.map((animation) => animation.finished))
      .then(() => axe.run(scope, { runOnly: tags, resultTypes: ["violations", "incomplete"], ...NO_FRAMES }))
      .then(({ violations, incomplete, passes }) => {
        const rules = [...violations, ...(undecided ? incomplete : [])];
        const found = rules.flatMap((rule) => rule.nodes.map((node) => place(rule, node)));
        done({ passes: passes.length, found });
      })
      .catch((error) => done({ error: String(error) }));`,
    scope,
    TAGS,
    undecided,
  );
  assert.equal(result.error, undefined);
  assert.ok(result.passes > 5, `axe checked next to nothing: ${result.passes} rules`);
  return result.found;
}

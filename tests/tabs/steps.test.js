// A page ends at each step from `createIntegration` to `acknowledgeTokens`: by reload, by closing the tab, by SIGKILL
// for the browser.
import { engine } from "../e2e/support/environment.js";
import { Journey, STEPS } from "./support/steps.js";
import { world } from "./support/world.js";

const tabs = world();

// How a page ends, and where the next one begins. A tab for each step, all at their step at once.
const ENDS = {
  "the tab is closed": {
    open: (count) => tabs.tabs(count),
    async leave(journeys) {
      for (const { tab } of journeys) await tabs.close(tab);
      return another(await tabs.tab());
    },
  },
  "the browser is killed": {
    open: (count) => tabs.keptTabs(count),
    async leave() {
      await tabs.killBrowser();
      return another(await tabs.reopenBrowser());
    },
  },
};
// To an engine's storage a reload is the end of a tab; ../hostile/leaving.test.js has it in all of them.
if (engine() === "chromium")
  ENDS["the page is reloaded"] = {
    open: (count) => tabs.tabs(count),
    async leave(journeys) {
      for (const { tab } of journeys) await tab.reload();
      return async ({ tab }) => tab;
    },
  };

/** One tab for all that come after, with a page of its own for each. */
function another(tab) {
  return async () => {
    await tab.visit();
    return tab;
  };
}

for (const [end, { open, leave }] of Object.entries(ENDS)) {
  tabs.test(end, async (parent) => {
    const journeys = STEPS.map((step) => new Journey(tabs, step));
    const opened = await open(journeys.length);
    // A step that is not reached is that step's failure only.
    for (const [index, journey] of journeys.entries())
      await journey.begin(opened[index]).catch((error) => {
        journey.error = error;
      });
    const next = await leave(journeys.filter(({ error }) => !error));
    for (const journey of journeys) {
      await parent.test(journey.step.name, async () => {
        if (journey.error) throw journey.error;
        await journey.arrive(await next(journey));
      });
    }
  });
}

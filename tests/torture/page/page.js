// Runs with tokens, as `cargo xtask torture --only proxy` plans them.
import { Run, post, sleep, work } from "./runs.js";
import { leftovers } from "./vault.js";

// Longer than any promise of a tab may take.
const PATIENCE = 400_000;
// The merchants come one after the other.
const CONSENT = 120_000;

class TokenRun extends Run {
  constructor(plan) {
    super(plan, "tab.html");
    this.isCalm = true;
    this.persisting = new Promise((resolve) => (this.persists = resolve));
  }

  // The vault holds no tokens any more: the hand-over has come to its end.
  async erased(tab) {
    while (!tab.removed && (await leftovers(this.plan.baseUrl, this.token)) !== 0) await sleep(300);
  }

  // The first tab has an integration.
  async created(token) {
    this.token = token;
    await post("/consent", { run: this.plan.run });
    this.consented = true;
    this.isCalm = false;
    this.hasConsent();
  }

  async go() {
    const consent = new Promise((resolve) => (this.hasConsent = resolve));
    const { tabs } = this.plan;
    const first = this.open("0", { ...tabs[0], creates: true });
    await Promise.race([consent, first.over, sleep(CONSENT)]);
    if (this.consented) {
      this.strikesAtAnyTime();
      if (!tabs[0].own) this.remove(first);
    }
    const others = tabs.slice(1).map(async (job, index) => {
      await sleep(job.start);
      await this.open(String(index + 1), job).over;
    });
    await Promise.race([Promise.all([first.over, ...others]), sleep(PATIENCE)]);
    await Promise.all(this.strikes);
    this.over = true;
    for (const tab of this.tabs) this.remove(tab);
    const persist = tabs[0].persist.filter((what) => what === "reject");
    const last = this.open("last", { isLast: true, acknowledges: true, persist });
    await Promise.race([last.over, sleep(PATIENCE)]);
    this.remove(last);
    const left = await leftovers(this.plan.baseUrl, this.token);
    return { run: this.plan.run, notes: this.notes, done: this.done, left };
  }
}

await work((plan) => new TokenRun(plan));

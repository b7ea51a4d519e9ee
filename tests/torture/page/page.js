// Runs with tokens or with orders, as `cargo xtask torture` plans them for `proxy` and `outbox`.
import { Run, post, sleep, work } from "./runs.js";
import { leftovers } from "./vault.js";

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
    await this.ends([first.over, ...others], {});
    const left = await leftovers(this.plan.baseUrl, this.token);
    return { run: this.plan.run, notes: this.notes, done: this.done, left };
  }
}

class OrderRun extends Run {
  constructor(plan) {
    super(plan, "till.html");
  }

  async go() {
    this.strikesAtAnyTime();
    const tabs = this.plan.tabs.map(async (job, index) => {
      await sleep(job.start);
      await this.open(String(index), job).over;
    });
    await this.ends(tabs, { orders: [] });
    return { run: this.plan.run, notes: this.notes, done: this.done };
  }
}

await work((plan) => (plan.sells ? new OrderRun(plan) : new TokenRun(plan)));

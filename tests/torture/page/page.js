// Makes runs as `cargo xtask torture --only proxy` plans them, some at once. A tab is a frame: it shares storage and
// locks with the others, and is removed in the middle of anything. What its promises gave is noted here, where it
// outlives the tab.
import { leftovers } from "./vault.js";

// Longer than any promise of a tab may take.
const PATIENCE = 400_000;
// The merchants come one after the other.
const CONSENT = 120_000;
const runs = new Map();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const post = (path, value) =>
  fetch(path, { method: "POST", body: JSON.stringify(value) }).then((response) => response.json());

class Run {
  constructor(plan) {
    const begun = performance.now();
    Object.assign(this, { plan, notes: [], done: [], counted: {}, tabs: [], strikes: [] });
    this.persisting = new Promise((resolve) => (this.persists = resolve));
    Object.assign(this, { begun, epoch: performance.timeOrigin + begun });
  }

  note(tab, what, more = {}) {
    // Whatever a removed frame still does, no tab would have done.
    const at = Math.round(performance.now() - this.begun);
    if (!tab.removed) this.notes.push({ tab: tab.name, at, what, ...more });
  }

  open(name, job) {
    const tab = { name, job, run: this, plan: this.plan, removed: false };
    tab.over = new Promise((resolve) => (tab.finish = resolve));
    tab.frame = document.createElement("iframe");
    tab.frame.tab = tab;
    tab.frame.src = "tab.html";
    this.tabs.push(tab);
    document.body.append(tab.frame);
    return tab;
  }

  remove(tab) {
    if (tab.removed) return;
    this.note(tab, "removed");
    tab.removed = true;
    tab.frame.remove();
    tab.finish();
  }

  // A tab has got so far; the plan may want it removed there.
  step(at, tab) {
    if (!this.consented || this.over || !tab || tab.removed) return;
    this.counted[at] = (this.counted[at] ?? 0) + 1;
    const kill = this.plan.kills.find((kill) => kill.at === at && kill.nth === this.counted[at]);
    if (kill) this.strike(at, tab, kill.plus);
  }

  strike(at, tab, ms) {
    const act = () => {
      if (this.over || !tab || tab.removed) return;
      this.done.push(at);
      this.remove(tab);
    };
    if (!ms) return act();
    // The run waits for it: a tab that got so far is removed, however quick the rest is.
    this.strikes.push(sleep(ms).then(act));
  }

  // Tabs come and go: the plan only says which of those that there are.
  strikeAny(at, number) {
    const open = this.tabs.filter((tab) => !tab.removed);
    this.strike(at, open[number % open.length], 0);
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
    this.hasConsent();
  }

  async go() {
    const consent = new Promise((resolve) => (this.hasConsent = resolve));
    const { tabs, kills } = this.plan;
    const first = this.open("0", { ...tabs[0], creates: true });
    await Promise.race([consent, first.over, sleep(CONSENT)]);
    if (this.consented) {
      for (const { at, tab, plus } of kills)
        if (at.endsWith("at any time")) setTimeout(() => this.strikeAny(at, tab), plus);
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

// The proxy holds an answer back until the tab that waits for it is gone.
const events = new EventSource("/events");
events.onmessage = ({ data }) => {
  const { run, at, plus } = JSON.parse(data);
  const found = runs.get(run);
  found?.strike(at, found.sender, plus);
};
await new Promise((resolve) => (events.onopen = resolve));

const asked = new URLSearchParams(location.search);
const [places, deal] = ["places", "deal"].map((name) => Number(asked.get(name)));

async function work() {
  for (;;) {
    const plan = await post("/next", { deal });
    if (!plan) return;
    const run = new Run(plan);
    runs.set(plan.run, run);
    await post("/done", await run.go());
    runs.delete(plan.run);
  }
}

const failed = (error) => post("/failed", { error: String(error?.stack ?? error) });
for (let place = 0; place < places; place += 1) work().catch(failed);

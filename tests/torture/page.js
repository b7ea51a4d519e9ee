// Makes runs as `cargo xtask torture --only proxy` plans them, some at once. A tab is a frame: it shares storage and locks with the others, and is removed in the
// middle of anything. What its promises gave is noted here, where it outlives the tab.
import { leftovers } from "./vault.js";

const PATIENCE = 200_000;
const runs = new Map();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const post = (path, value) => fetch(path, { method: "POST", body: JSON.stringify(value) }).then((response) => response.json());

class Run {
  constructor(plan) {
    Object.assign(this, { plan, notes: [], done: [], counted: {}, tabs: [], begun: performance.now(), epoch: performance.timeOrigin + performance.now() });
  }

  note(tab, what, more = {}) {
    // Whatever a removed frame still does, no tab would have done.
    if (!tab.removed) this.notes.push({ tab: tab.name, at: Math.round(performance.now() - this.begun), what, ...more });
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
    ms ? setTimeout(act, ms) : act();
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
    await Promise.race([consent, first.over, sleep(30_000)]);
    if (this.consented) {
      for (const { at, tab, plus } of kills) if (at.endsWith("at any time")) setTimeout(() => this.strike(at, this.tabs[tab], 0), plus);
      if (!tabs[0].own) this.remove(first);
    }
    const others = tabs.slice(1).map(async (job, index) => {
      await sleep(job.start);
      await this.open(String(index + 1), job).over;
    });
    await Promise.race([Promise.all([first.over, ...others]), sleep(PATIENCE)]);
    this.over = true;
    for (const tab of this.tabs) this.remove(tab);
    const last = this.open("last", { isLast: true, acknowledges: true, persist: tabs[0].persist.filter((what) => what === "reject") });
    await Promise.race([last.over, sleep(PATIENCE)]);
    this.remove(last);
    const left = await leftovers(this.plan.baseUrl, this.token);
    return { run: this.plan.run, notes: this.notes, done: this.done, left };
  }
}

new EventSource("/events").onmessage = ({ data }) => {
  const { run, at } = JSON.parse(data);
  const found = runs.get(run);
  found?.step(at === "processed" ? "tab removed: answer not yet on its way" : "tab removed: answer just delivered", found.sender);
};

async function work() {
  for (;;) {
    const plan = await post("/next");
    if (!plan) return;
    const run = new Run(plan);
    runs.set(plan.run, run);
    await post("/done", await run.go());
    runs.delete(plan.run);
  }
}

const places = Number(new URLSearchParams(location.search).get("places"));
for (let place = 0; place < places; place += 1) work().catch((error) => post("/failed", { error: String(error?.stack ?? error) }));

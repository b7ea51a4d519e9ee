// Runs as `cargo xtask torture` plans them, some at once. A tab is a frame: it shares storage and locks with the
// others, and is removed in the middle of anything. What its promises gave is noted here, where it outlives the tab.

// Longer than any promise of a tab may take.
const PATIENCE = 700_000;
const PLACES = 25;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const post = (path, value) =>
  fetch(path, { method: "POST", body: JSON.stringify(value) }).then((response) => response.json());

/**
 * Notes what of a tab is on the disk: what is sealed is known only in its page, and that it lasts, only there. `found`
 * gives the members of the note for a text that is sealed, or nothing.
 */
export function watchWrites(tab, found, wrote) {
  const sealed = new WeakMap();
  const { encrypt } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.encrypt = async function (how, key, data) {
    const result = await encrypt.call(this, how, key, data);
    const what = found(new TextDecoder().decode(data));
    if (what) sealed.set(result, what);
    return result;
  };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...values) {
    const request = put.apply(this, values);
    const what = sealed.get(values[0]?.sealed);
    if (what) this.transaction.addEventListener("complete", () => tab.run.note(tab, "durable", what));
    wrote(values[0], what);
    return request;
  };
}

/** A run of a plan; `go` makes it, and gives what there is to say of it. */
export class Run {
  /** `page` is what a tab shows. */
  constructor(plan, page) {
    const begun = performance.now();
    Object.assign(this, { plan, page, notes: [], done: [], counted: {}, tabs: [], strikes: [] });
    Object.assign(this, { begun, epoch: performance.timeOrigin + begun });
  }

  note(tab, what, more = {}) {
    // Whatever a removed frame still does, no tab would have done.
    const at = Math.round(performance.now() - this.begun);
    if (!tab.removed) this.notes.push({ tab: tab.name, at, what, ...more });
  }

  open(name, job) {
    const tab = { name, job, run: this, plan: this.plan, removed: false, freeze: () => {} };
    tab.over = new Promise((resolve) => (tab.finish = resolve));
    tab.frame = document.createElement("iframe");
    tab.frame.tab = tab;
    tab.frame.src = this.page;
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

  // A tab has got so far; the plan may want it removed there. Not while the run is calm.
  step(at, tab) {
    if (this.isCalm || this.over || !tab || tab.removed) return;
    this.counted[at] = (this.counted[at] ?? 0) + 1;
    const kill = this.plan.kills.find((kill) => kill.at === at && kill.nth === this.counted[at]);
    if (kill) this.strike(at, tab, kill.plus);
  }

  strike(at, tab, ms) {
    const act = () => {
      if (this.over || !tab || tab.removed) return;
      this.done.push(at);
      if (at.startsWith("tab frozen")) tab.freeze();
      else this.remove(tab);
    };
    if (!ms) return act();
    // The run waits for it: a tab that got so far is removed, however quick the rest is.
    this.strikes.push(sleep(ms).then(act));
  }

  // The tabs come to their end, and after them one last tab looks at what is left.
  async ends(tabs, job) {
    await Promise.race([Promise.all(tabs), sleep(PATIENCE)]);
    await Promise.all(this.strikes);
    this.over = true;
    for (const tab of this.tabs) this.remove(tab);
    const last = this.open("last", { ...job, isLast: true });
    await Promise.race([last.over, sleep(PATIENCE)]);
    this.remove(last);
  }

  // Tabs come and go: the plan only says which of those that there are.
  strikeAny(at, number) {
    const open = this.tabs.filter((tab) => !tab.removed);
    this.strike(at, open[number % open.length], 0);
  }

  // Those removals that hang on nothing but the time begin now.
  strikesAtAnyTime() {
    for (const { at, tab, plus } of this.plan.kills)
      if (at.endsWith("at any time")) setTimeout(() => this.strikeAny(at, tab), plus);
  }
}

/**
 * Asks for plans and makes their runs, as long as the page is there. Most of a run is waiting, but all of them are in
 * one browser, on machines that have other things to do.
 */
export async function work(make) {
  const runs = new Map();
  // The proxy holds an answer back until the tab that waits for it is gone.
  const events = new EventSource("/events");
  events.onmessage = ({ data }) => {
    const { run, at, plus } = JSON.parse(data);
    const found = runs.get(run);
    found?.strike(at, found.sender, plus);
  };
  await new Promise((resolve) => (events.onopen = resolve));
  const go = async (plan) => {
    const run = make(plan);
    runs.set(plan.run, run);
    await post("/done", await run.go());
    runs.delete(plan.run);
  };
  const failed = (error) => post("/failed", { error: String(error?.stack ?? error) });
  for (;;) {
    const plan = runs.size < PLACES && (await post("/next", {}).catch(failed));
    if (plan) go(plan).catch(failed);
    else await sleep(100);
  }
}

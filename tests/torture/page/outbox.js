// Runs with orders, as `cargo xtask torture --only outbox` plans them.
import { Run, sleep, work } from "./runs.js";

// Longer than any promise of a tab may take.
const PATIENCE = 200_000;

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
    await Promise.race([Promise.all(tabs), sleep(PATIENCE)]);
    await Promise.all(this.strikes);
    this.over = true;
    for (const tab of this.tabs) this.remove(tab);
    const last = this.open("last", { isLast: true, orders: [] });
    await Promise.race([last.over, sleep(PATIENCE)]);
    this.remove(last);
    return { run: this.plan.run, notes: this.notes, done: this.done };
  }
}

await work((plan) => new OrderRun(plan));

// A till of several pages: this one writes without a pause, and is left in the middle of it.
import { load, till } from "./till.js";

const { PosConnect } = await load();
const pos = await PosConnect.create(till().options);

/** One integration, with what of it is kept. */
const created = () => pos.createIntegration();

const report = await created().then(
  () => ({}),
  ({ code, message }) => ({ failed: `${code}: ${message}` }),
);
document.body.dataset.result = JSON.stringify(report);
while (!report.failed) await created();

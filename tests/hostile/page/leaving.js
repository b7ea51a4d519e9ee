// A till of several pages: this one writes without a pause, and is left in the middle of it.
import { load, till } from "./till.js";

const { PosConnect } = await load();
const pos = await PosConnect.create(till().options);

/** How long one integration took, with what of it is kept. */
async function created() {
  const start = performance.now();
  await pos.createIntegration();
  return performance.now() - start;
}

const report = await created().then(
  (ms) => ({ ms }),
  ({ code, message }) => ({ failed: `${code}: ${message}` }),
);
document.body.dataset.result = JSON.stringify({ ...report, uncaught: [] });
while (!report.failed) await created();

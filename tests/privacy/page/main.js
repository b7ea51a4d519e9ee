// Runs in a frame, whose realm nobody else uses: everything is patched before the package is loaded.
import { canaries } from "./canaries.js";
import { hardware } from "./hardware.js";
import { matrix } from "./matrix.js";
import { phones } from "./phones.js";

const what = new URLSearchParams(location.search).get("what");

async function run() {
  if (what === "canaries") return canaries();
  const sdk = await import("/node_modules/pos-connect/index.js");
  if (what === "phones") return phones(sdk);
  return what === "hardware" ? hardware(sdk) : matrix(sdk, what);
}

const begun = Date.now();
const report = await run().catch((error) => ({ broken: `${error.message}\n${error.stack}` }));
parent.document.body.dataset.result = JSON.stringify({ ...report, ms: Date.now() - begun });

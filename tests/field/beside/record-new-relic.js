import { BrowserAgent } from "@newrelic/browser-agent";
import { recorder } from "./recorder.js";

const errorBeacon = recorder.replace(/^http:..|.$/g, "");
new BrowserAgent({
  init: {
    ssl: false,
    harvest: { interval: 1 },
    session_replay: { enabled: true, mask_text_selector: "", mask_all_inputs: false },
    privacy: { cookies_enabled: true },
  },
  info: { beacon: errorBeacon, errorBeacon, licenseKey: "key", applicationID: "1", sa: 1 },
  loader_config: { accountID: "1", trustKey: "1", agentID: "1", licenseKey: "key", applicationID: "1" },
});

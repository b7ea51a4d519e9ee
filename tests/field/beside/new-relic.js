import { BrowserAgent } from "@newrelic/browser-agent";

new BrowserAgent({
  init: { distributed_tracing: { enabled: true }, privacy: { cookies_enabled: false } },
  info: { beacon: "errors.example", errorBeacon: "errors.example", licenseKey: "key", applicationID: "1", sa: 1 },
  loader_config: { accountID: "1", trustKey: "1", agentID: "1", licenseKey: "key", applicationID: "1" },
});

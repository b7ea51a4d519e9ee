import { datadogRum } from "@datadog/browser-rum";
import { recorder } from "./recorder.js";

datadogRum.init({
  applicationId: "00000000-0000-4000-8000-000000000000",
  clientToken: "pub00000000000000000000000000000000",
  proxy: recorder,
  sessionSampleRate: 100,
  sessionReplaySampleRate: 100,
  defaultPrivacyLevel: "allow",
  trackUserInteractions: true,
});

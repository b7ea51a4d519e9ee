import * as Sentry from "@sentry/browser";
import { recorder } from "./recorder.js";

const replay = Sentry.replayIntegration({ maskAllText: false, maskAllInputs: false, useCompression: false });
Sentry.init({
  dsn: "https://key@errors.example/1",
  tunnel: recorder,
  integrations: [replay],
  replaysSessionSampleRate: 1,
});

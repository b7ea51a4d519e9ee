import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "https://key@errors.example/1",
  integrations: [
    Sentry.browserTracingIntegration(),
    Sentry.replayIntegration({ maskAllText: false, maskAllInputs: false }),
  ],
  tracesSampleRate: 1,
  replaysSessionSampleRate: 1,
});

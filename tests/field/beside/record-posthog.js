// With its recorder in the bundle, and the settings that its service gives, so that nothing is fetched.
import posthog from "posthog-js/dist/module.full.no-external";
import { recorder } from "./recorder.js";

const sessionRecording = { endpoint: "/s/" };
globalThis._POSTHOG_REMOTE_CONFIG = { key: { config: { sessionRecording, hasFeatureFlags: false } } };
posthog.init("key", {
  api_host: recorder,
  capture_pageleave: false,
  disable_compression: true,
  request_batching: false,
  session_recording: { compress_events: false, maskAllInputs: false },
  opt_out_useragent_filter: true,
});

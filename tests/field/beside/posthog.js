import posthog from "posthog-js";

posthog.init("key", { api_host: "https://errors.example", autocapture: true, capture_pageview: true });

// @tier first
import assert from "node:assert/strict";
import { test } from "node:test";
import { session } from "./support/session.js";
import { eventually } from "./support/wait.js";

const e2e = session({ violates: true });

test("the till's answers carry the strict policy", async () => {
  const { service } = e2e;
  const { origin } = new URL(service.settings.baseUrl);
  for (const path of ["", "till.js", "till.css", "demo.json", "pos-connect/index.js", "no-such-file"]) {
    const response = await fetch(new URL(path, service.tillUrl));
    const policy = response.headers.get("content-security-policy") ?? "";
    const directives = policy
      .split(";")
      .map((directive) => directive.trim())
      .filter(Boolean)
      .sort();
    assert.deepEqual(
      directives,
      [
        "base-uri 'none'",
        `connect-src 'self' ${origin}`,
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        `frame-src ${origin}`,
        "img-src 'self' data:",
        "report-uri /csp-report",
        "require-trusted-types-for 'script'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "trusted-types 'none'",
      ],
      `/${path}`,
    );
  }
});

// The other files end with "no violation was reported". That is worth something only if a violation would have been.
test("a violation is blocked, reported and counted", async () => {
  const { till, service, window } = await e2e.open();
  assert.equal(await service.violations(), 0);
  await window.executeScript("new Image().src = 'http://127.0.0.1:9/blocked.png'");
  await eventually(() => service.violations(), "The violation was never counted.");
});

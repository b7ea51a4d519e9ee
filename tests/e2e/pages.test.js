// @tier first
import { test } from "node:test";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();

test("the flow in one call", async () => {
  const { till, service, window } = await e2e.open({ page: "one-call.html" });
  await till.click("#connect");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect();
  await till.says("#result", "Connected to Demo Bakery");
  await till.isTidy();
  await till.keepsSecrets(service.settings);
  await screenshot(window, "one-call");
});

test("in one call, refused", async () => {
  const { till } = await e2e.open({ page: "one-call.html" });
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.frame.cancel();
  await till.says("#result", "Not connected: cancelled");
  await till.isTidy();
  await till.focuses("connect");
});

test("step by step, inline: a second fetch gives the same tokens", async () => {
  const { till, service, window } = await e2e.open({ page: "step-by-step.html" });
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.says("#result", "Status: pending");
  await screenshot(window, "step-by-step");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect();
  await till.says("#result", /^Connected to \S.*; fetched twice, same tokens$/);
  await till.isTidy();
  await till.keepsSecrets(service.settings);
});

test("step by step, canceled by the till", async () => {
  const { till } = await e2e.open({ page: "step-by-step.html" });
  await till.click("#connect");
  await till.frame.shows("sign-in");
  await till.click("#cancel");
  await till.says("#result", "Canceled");
  await till.isTidy();
});

test("the demo login can be copied, or at least is selected for it", async () => {
  const { till, service } = await e2e.open();
  await till.click("button:has(> #login-password)");
  const said = await till.says("#announcer", /^(Copied|Selected)/);
  if (said === "Copied.") return; // What is in the clipboard, a page may not see without asking.
  await till.holds("return String(getSelection())", service.settings.account.password);
});

// @tier first
// @engines chromium: the pages are plain code over calls that connect.test.js and reload.test.js do in each engine.
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

test("the demo login is copied, or where that is forbidden selected for it", async () => {
  const { till, window, service } = await e2e.open();
  const { account } = service.settings;
  await window.executeScript(
    "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); }",
  );
  await till.click("button:has(> #login-email)");
  await till.says("#announcer", "Copied.");
  await till.holds("return window.copied", [account.email]);
  await window.executeScript("navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))");
  await till.click("button:has(> #login-password)");
  await till.says("#announcer", /^Selected/);
  await till.holds("return String(getSelection())", account.password);
});

// @engines chromium: the till's own code over codes that tests/flow has in each engine
// What the panel shows of an error.
import assert from "node:assert/strict";
import { test } from "node:test";
import { screenshot } from "./support/screenshot.js";
import { session } from "./support/session.js";

const e2e = session();

// What each button that needs no merchant must end in: the facts that the panel shows beside the code.
const EXPECTED = [
  { code: "aborted", kind: "ended", operation: /^(connect|waitUntilDone)$/, status: "none", retryable: "no" },
  { code: "invalid_secret", kind: "error", operation: /^(connect|createIntegration)$/, status: "403", retryable: "no" },
  { code: "invalid_client", kind: "error", operation: /^(connect|createIntegration)$/, status: "400", retryable: "no" },
  { code: "network", kind: "error", operation: /^(connect|createIntegration)$/, status: "none", retryable: "yes" },
  { code: "not_finished", kind: "error", operation: /^fetchTokens$/, status: "409", retryable: "yes" },
  { code: "integration_cancelled", kind: "error", operation: /^fetchTokens$/, status: "409", retryable: "no" },
  { code: "invalid_option", kind: "error", operation: /^create$/, status: "none", retryable: "no" },
];

for (const { code, kind, operation, status, retryable } of EXPECTED) {
  test(`a provoked error shows its code: ${code}`, async () => {
    const { till, service } = await e2e.open();
    await till.provoke(code);
    const step = await till.step(code);
    await till.rests();
    assert.equal(step.kind, kind);
    assert.match(step.facts.Operation, operation);
    assert.equal(step.facts["HTTP status"], status);
    assert.equal(step.facts.Retryable, retryable);
    if (status === "none") assert.equal(step.facts["Request id"], "none");
    else assert.match(step.facts["Request id"], /^\S{8,}$/);
    await till.says("#connection", "Not connected");
    await till.isTidy();
    await till.keepsSecrets(service.settings);
  });
}

test("whoever fetches second gets 410: the tokens are given once", async () => {
  const { till, service, window } = await e2e.open();
  await till.provoke("tokens_already_retrieved");
  await till.frame.signIn(service.settings.account);
  await till.frame.connect();
  const step = await till.step("tokens_already_retrieved");
  await till.rests();
  assert.equal(step.kind, "error");
  assert.equal(step.facts["HTTP status"], "410");
  assert.equal(step.facts.Retryable, "no");
  await till.says("#steps", /A rival .* HTTP 200/);
  await till.says("#connection", "Not connected");
  await till.isTidy();
  await screenshot(window, "second-fetch");
});

test("an error shows what it says, a call how long it took, and each run where it begins", async () => {
  const { till, window } = await e2e.open();
  await till.provoke("invalid_option");
  const { text } = await till.step("invalid_option");
  assert.match(text, /invalid_option.*baseUrl.*https.*Correct the option that the message names\./);
  const page = "return document.querySelector('#steps [data-code=invalid_option] a').href";
  assert.match(await window.executeScript(page), /\/errors\.html#invalid_option$/);
  await till.rests();
  await till.provoke("invalid_client");
  await till.step("invalid_client");
  const texts = "return Array.from(document.querySelectorAll(arguments[0]), (one) => one.textContent.trim())";
  const textsOf = (css) => window.executeScript(texts, css);
  const begins = await textsOf("#steps > [data-begins]");
  assert.equal(begins.length, 2);
  assert.match(begins[1], /^Unknown vendor/);
  for (const time of await textsOf("#steps > [data-kind=call] .took")) assert.match(time, /^\d+\.\d\d s$/);
});

test("a provocation leaves the connection alone", async () => {
  const { till, service } = await e2e.open();
  await till.connect(service.settings.account);
  await till.isTidy();
  await till.provoke("invalid_secret");
  await till.step("invalid_secret");
  await till.says("#connect", "Disconnect");
  await till.says("#connection", "Connected to Demo Bakery, Old Harbor");
});

// Last: it ends the service.
test("a service that is down is a network error, and the till goes on selling", async () => {
  const { till, service } = await e2e.open();
  await till.keepsPolicy(service);
  await till.reopen();
  await till.click("#connect"); // Loads the package while its server still runs.
  await till.frame.shows("sign-in");
  await till.click("dialog button");
  await till.rests();
  e2e.killed = true;
  await service.kill();

  await till.click("#connect");
  const step = await till.step("network");
  assert.equal(step.facts.Retryable, "yes");
  await till.rests();
  await till.isTidy();
  await till.click("#products button");
  await till.says("#order-count", "1");
});

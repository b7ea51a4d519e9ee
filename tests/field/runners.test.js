// @engines chromium: a page is opened by Vitest, with Playwright
// pos-connect/testing in the test runners of its users, set up as docs/testing.md says: a test with the fake in the
// place of the package, and one of the package itself over the fake service. With Vitest, the page's own test, too.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pages } from "../docs/pages.js";
import { LIMIT } from "../e2e/support/wait.js";
import { newProject } from "../package/project.js";

const run = promisify(execFile);
const modules = fileURLToPath(new URL("node_modules/", import.meta.url));

const ORDER = `{ externalId: "1041", time: new Date(), currency: "ILS", total: 1190,
  lines: [{ name: "Bread", quantity: 1, amount: 1190 }] }`;
const SELL = `async (create) => (await (await create()).orders.send(${ORDER})).state`;
const FAKED = `test("the fake stands in for the package", async () => {
  fakePosConnect({ connection: {}, orders: "network" });
  expect(await sell(() => PosConnect.create({}))).toBe("queued");
});`;
const SERVED = `test("the package itself sells over the fake service", async () => {
  const service = fakeService({ connection: {} });
  globalThis.fetch = service.fetch;
  expect(await sell(() => PosConnect.create(service.options))).toBe("accepted");
  expect(service.requests.at(-1).body.total).toBe(1190);
});`;
/** Where there is a page, a merchant connects, and a shopper chooses paper. */
const CONNECTED = `test("the package itself connects and charges over the fake service", async () => {
  const service = fakeService({ connect: { ereceipt: true } });
  globalThis.fetch = service.fetch;
  const pos = await PosConnect.create(service.options);
  const container = document.body;
  expect((await pos.connect({ container })).ereceipt).toBe(true);
  const charged = pos.charge(${ORDER}, { region: "IL", print() {}, container });
  let reason;
  charged.then(({ receipt }) => (reason = receipt.reason));
  await vi.waitFor(() => {
    document.querySelector("ereceipt-keypad")?.shadowRoot.querySelector("[part~=print]")?.click();
    expect(reason).toBe("chosen");
  }, ${LIMIT});
  pos.destroy();
});`;
const IMPORTS = (entry) => `import { PosConnect } from "${entry}";
import { fakePosConnect, fakeService } from "pos-connect/testing";
const sell = ${SELL};`;
const VITEST = 'import { expect, test, vi } from "vitest";';
const MOCKED = 'vi.mock("pos-connect", () => import("pos-connect/testing"));';

const { fences } = (await pages()).find(({ path }) => path === "docs/testing.md");
const shown = fences.find(({ code }) => code.startsWith("// offline.test.js"));

const files = {
  "offline.spec.js": shown.code,
  "default.test.cjs": `const { PosConnect } = require("pos-connect");
const { fakePosConnect } = require("pos-connect/testing");
const sell = ${SELL};
${FAKED}`,
  "fake.test.mjs": `${IMPORTS("pos-connect")}\n${FAKED}`,
  "served.test.mjs": `${IMPORTS("pos-connect/inline")}\n${SERVED}`,
};
files["browser.config.js"] = `import { playwright } from "@vitest/browser-playwright";
const launchOptions = { executablePath: process.env.POS_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] };
export default {
  server: { fs: { strict: false } },
  test: {
    testTimeout: ${LIMIT},
    include: ["*.page.js"],
    browser: {
      enabled: true,
      headless: true,
      connectTimeout: ${LIMIT},
      provider: playwright({ launchOptions }),
      instances: [{ browser: "chromium" }],
    },
  },
};`;
files["fake.page.js"] = `${VITEST}\n${MOCKED}\n${IMPORTS("pos-connect")}\n${FAKED}`;
files["served.page.js"] = `${VITEST}\n${IMPORTS("pos-connect")}\n${SERVED}\n${CONNECTED}`;
for (const environment of ["node", "jsdom", "happy-dom"]) {
  const head = `// @vitest-environment ${environment}\n${VITEST}\n`;
  const tests = environment === "node" ? SERVED : `${SERVED}\n${CONNECTED}`;
  files[`fake.${environment}.spec.js`] = `${head}${MOCKED}\n${IMPORTS("pos-connect")}\n${FAKED}`;
  files[`served.${environment}.spec.js`] = `${head}${IMPORTS("pos-connect")}\n${tests}`;
}

let project;
before(async () => {
  project = await newProject(files);
  await mkdir(join(project.folder, "node_modules/@vitest"));
  for (const name of ["vitest", "@vitest/browser-playwright"])
    await symlink(join(modules, name), join(project.folder, "node_modules", name));
});
after(() => project.remove());

/** What a runner says about the tests of the project. */
async function told(script, options, flags = []) {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: "1" };
  const { stdout, stderr } = await run(process.execPath, [...flags, join(modules, script), ...options], {
    cwd: project.folder,
    env,
  });
  return stdout + stderr;
}

const jest = (file, flags) => {
  const moduleNameMapper = { "^pos-connect$": "pos-connect/testing" };
  const config = JSON.stringify({
    moduleNameMapper,
    transform: {},
    cacheDirectory: join(project.folder, "cache"),
    testTimeout: LIMIT,
  });
  return told("jest/bin/jest.js", ["--config", config, "--rootDir", project.folder, "--no-watchman", file], flags);
};

test("Vitest: node, jsdom, happy-dom", async () => {
  const output = await told("vitest/vitest.mjs", ["run", `--testTimeout=${LIMIT}`, "--dir", project.folder, "spec.js"]);
  assert.match(output, /Test Files +7 passed \(7\)\n +Tests +9 passed \(9\)/);
});

test("Vitest in browser mode", async () => {
  const output = await told("vitest/vitest.mjs", ["run", "--config", join(project.folder, "browser.config.js")]);
  assert.match(output, /Test Files +2 passed \(2\)\n +Tests +3 passed \(3\)/);
});

test("Jest", async () => {
  assert.match(await jest("default.test.cjs"), /^Tests: +1 passed, 1 total$/m);
});

test("Jest with modules", async () => {
  assert.match(await jest("test.mjs", ["--experimental-vm-modules"]), /^Tests: +2 passed, 2 total$/m);
});

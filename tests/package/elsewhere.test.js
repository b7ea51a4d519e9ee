// @engines chromium: a picture's squares, and what a bundler makes of its file, are the same in every engine
// The QR codes, of the connect page's link and of a receipt's: drawn by the package, decoded by somebody else's reader;
// and its file, which nobody downloads unasked, wherever it was built into.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, test } from "node:test";
import jsQR from "jsqr";
import * as vite from "vite";
import { openBrowser, resultOf } from "./browser.js";
import { newProject } from "./project.js";
import { serve } from "./site.js";

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** An app that shows a frame for an integration that this page's server "creates". */
const app = (name, options = "") => `import { PosConnect } from "${name}";
const say = (text) => { document.body.dataset.result = JSON.stringify(text); };
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  document.body.dataset.violation = effectiveDirective + " " + blockedURI;
});
addEventListener("unhandledrejection", (event) => { document.body.dataset.unhandled = String(event.reason); });
const baseUrl = location.origin;
const connectUrl = baseUrl + "/connect.html";
const pos = await PosConnect.create({ baseUrl, connectUrl, clientId: "vendor & sons", vault: "memory" });
const integration = await pos.createIntegration();
globalThis.integration = integration;
integration.mountFrame(${options});
say(integration.code);`;
/** A sale whose shopper can scan, at the service of pos-connect/testing. */
const sale = `import { PosConnect } from "/node_modules/pos-connect/index.js";
import { fakeService } from "/node_modules/pos-connect/testing/index.js";
const service = fakeService({ connection: {}, receiptUrl: "https://auth.example/q/" });
globalThis.fetch = service.fetch;
const pos = await PosConnect.create(service.options);
const order = { externalId: "1", time: new Date(), currency: "ILS", total: 1,
  lines: [{ name: "Bread", quantity: 1, amount: 1 }] };
const { receipt, print } = await pos.charge(order, { region: "IL", locale: "he-IL", allowScan: true, print() {} });
const { body } = service.requests.find(({ path }) => path === "/v1/orders");
document.body.dataset.result = JSON.stringify({ receipt, print, sent: body.ereceipt });`;
const html = `<!doctype html><html lang="en"><title>till</title><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<body><script type="module" src="/main.js"></script>`;
const TOKEN = "pci_" + "0123456789".repeat(5);
const created = JSON.stringify({
  success: true,
  integrationToken: TOKEN,
  interval: 5,
  expiresIn: 900,
  pickup: false,
  code: "0420",
});

let project, browser;
before(async () => {
  project = await newProject({
    "index.html": html,
    "main.js": app("/node_modules/pos-connect/index.js"),
    "inline.html": html.replace("main.js", "inline.js"),
    "inline.js": app("/node_modules/pos-connect/inline.js"),
    "texts.html": html.replace("main.js", "texts.js").replace("<html", "<html dir=rtl"),
    "texts.js": app(
      "/node_modules/pos-connect/index.js",
      `undefined, { labels: { scan: "סריקה", qr: "קוד", copy: "העתקה", here: "כאן" } }`,
    ),
    "scan.html": html.replace("main.js", "scan.js"),
    "scan.js": sale,
    "connect.html": "<!doctype html><p>connect</p>",
  });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await project.remove();
});

const click = (name) => browser.evaluate(`document.querySelector(".pos-connect-${name}").click()`);

/** What a script gives as soon as it gives something. */
async function until(script) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    const given = await browser.evaluate(script);
    if (given) return given;
  }
  throw new Error(`it gave nothing: ${script}`);
}

const drawn = (root = "document") =>
  until(`
    const svg = ${root}?.querySelector(".pos-connect-qr");
    if (!svg) return null;
    const light = svg.querySelector("rect"), dark = svg.querySelector("path");
    const box = svg.getBoundingClientRect();
    return {
      side: svg.viewBox.baseVal.width, path: dark.getAttribute("d"), pixels: box.width,
      colors: [light, dark].map((part) => getComputedStyle(part).fill),
      role: svg.getAttribute("role"), name: svg.getAttribute("aria-label"),
      fits: box.left >= 0 && box.right <= innerWidth,
    };`);

/** What a camera would read: the modules as a picture, four pixels each. */
function read({ side, path }) {
  const scale = 4;
  const width = side * scale;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row++) {
      const from = ((Number(y) * scale + row) * width + Number(x) * scale) * 4;
      for (let at = from; at < from + scale * 4; at += 4) pixels.fill(0, at, at + 3);
    }
  }
  return jsQR(pixels, width, width)?.data;
}

const told = () =>
  browser.evaluate("return [document.body.dataset.violation ?? null, document.body.dataset.unhandled ?? null]");
const lazyRequests = (requests) => requests.filter((path) => /elsewhere.*\.js$/.test(path)).length;

for (const page of ["", "inline.html"]) {
  test(`${page || "the default entry"}: nothing is loaded before it is asked for; the code has the link`, async () => {
    const site = await serve(project.folder, undefined, { "/v1/auth/integration": created });
    assert.equal(await resultOf(browser, site.url + page), "0420");
    const before = lazyRequests(site.requests());
    assert.equal(before, 0);
    await click("phone");
    const code = await drawn();
    const link = await browser.evaluate(
      `const link = document.querySelector(".pos-connect-link");
      return [link.href, link.textContent, link.rel, link.getAttribute("dir")]`,
    );
    const expected = `${site.url}connect.html?integration_token=${TOKEN}&client_id=vendor%20%26%20sons&lang=en`;
    assert.deepEqual(link, [expected, expected, "noreferrer", "ltr"]);
    assert.equal(read(code), expected);
    assert.deepEqual([code.role, code.name], ["img", "QR code of the link"]);
    assert.ok(code.pixels / code.side >= 3 && code.pixels >= 240, "three pixels a module");
    assert.ok(code.fits);
    // No module in the quiet zone.
    for (const [, x, y] of code.path.matchAll(/M(\d+) (\d+)h/g))
      assert.ok(Math.min(x, y) >= 4 && Math.max(x, y) < code.side - 4);
    assert.deepEqual(code.colors, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
    await click("phone");
    await click("phone");
    assert.equal(lazyRequests(site.requests()), 1, "loaded once");
    assert.deepEqual(await told(), [null, null], "under the strict policy");
    await browser.evaluate("integration.destroy()");
    assert.equal(await browser.evaluate("return document.querySelectorAll('[class^=pos-connect]').length"), 0);
    await site.close();
  });
}

test("a receipt's code: the shopper scans the link, and the service gets its hash", async () => {
  const keypad = 'document.querySelector("ereceipt-keypad")?.shadowRoot';
  const press = async (part) => {
    await until(`return ${keypad}?.querySelector("[part=${part}]")?.checkVisibility()`);
    await sleep(500); // What is pressed sooner was meant for what stood there before.
    await browser.evaluate(`${keypad}.querySelector("[part=${part}]").click()`);
  };
  const site = await serve(project.folder);
  await browser.open(`${site.url}scan.html`);
  await press("scan");
  const code = await drawn(keypad);
  const link = read(code);
  assert.match(link, /^https:\/\/auth\.example\/q\/[\w-]{22}$/);
  assert.ok(code.pixels >= 240 && code.fits);
  assert.deepEqual([code.role, code.name], ["img", "סרקו את הקוד בטלפון"]);
  assert.deepEqual(code.colors, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
  const isHidden = `return ${keypad}.querySelector("svg").closest(".rr-block.ph-no-capture") !== null`;
  assert.equal(await browser.evaluate(isHidden), true, "from recorders");
  await press("done");
  const { receipt, print, sent } = JSON.parse(await until("return document.body.dataset.result ?? null"));
  const secret = link.slice(-22);
  const linkHash = createHash("sha256").update(secret).digest("base64url");
  assert.deepEqual(sent, { linkHash, locale: "he" });
  const { elapsedMs, ...result } = receipt;
  assert.deepEqual(result, { kind: "qr", print: false, orderId: "1", linkHash, locale: "he" });
  assert.equal(print, false);
  assert.deepEqual(await told(), [null, null], "under the strict policy");
  assert.equal(await browser.evaluate(`return document.documentElement.outerHTML.includes("${secret}")`), false);
  await site.close();
});

test("texts in the till's own language", async () => {
  const site = await serve(project.folder, undefined, { "/v1/auth/integration": created });
  await resultOf(browser, `${site.url}texts.html`);
  await click("phone");
  assert.equal((await drawn()).name, "קוד");
  const texts = await browser.evaluate(
    `return [".pos-connect-scan", ".pos-connect-phone"].map((css) => document.querySelector(css).textContent)`,
  );
  assert.deepEqual(texts, ["סריקה", "כאן"]);
  await site.close();
});

test("while the file cannot be loaded the link and the number stay, and the next click tries again", async () => {
  const site = await serve(project.folder, { path: /elsewhere/, times: 1 }, { "/v1/auth/integration": created });
  await resultOf(browser, site.url);
  await click("phone");
  await until(`
    const files = performance.getEntriesByType("resource").filter(({ name }) => name.includes("elsewhere"));
    return files.some(({ responseEnd }) => responseEnd > 0);`);
  const shown = await browser.evaluate(
    `const visible = (part) => document.querySelector(".pos-connect-" + part)?.checkVisibility() ?? null;
    return ["link", "code", "qr"].map(visible)`,
  );
  assert.deepEqual(shown, [true, true, null]);
  assert.deepEqual(await told(), [null, null]);
  await click("phone");
  await click("phone");
  assert.match(read(await drawn()), /integration_token=/);
  await site.close();
});

test("vite keeps it a file of its own", async () => {
  const built = await newProject({
    "index.html": html,
    "main.js": app("pos-connect"),
    "connect.html": "<p>connect</p>",
  });
  const dist = join(built.folder, "dist");
  await vite.build({ root: built.folder, logLevel: "error", build: { outDir: dist } });
  assert.ok((await readdir(dist, { recursive: true })).some((file) => /elsewhere.*\.js$/.test(file)));
  const site = await serve(dist, undefined, { "/v1/auth/integration": created });
  assert.equal(await resultOf(browser, site.url), "0420");
  assert.equal(lazyRequests(site.requests()), 0);
  await click("phone");
  assert.match(read(await drawn()), /integration_token=/);
  await site.close();
  await built.remove();
});

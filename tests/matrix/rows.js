// One row for each tool: what is installed beside the tarball, the tool first; the files of the app; the ways to open
// it; and what the docs say to do (`says`; "nothing" if there is nothing).
import { ANGULAR, html, IN_FUNCTION, INLINE, REACT, SCRIPT, SVELTE, SVELTE_CLIENT } from "./pages.js";
import { TILL, VUE, WITH_BUTTONS } from "./pages.js";

const MODULE = '<script type="module" src="/main.js"></script>';
const plain = { "index.html": html(MODULE), "main.js": TILL };
/** For tools whose output is the script alone. */
const beside = { "dist/index.html": html(MODULE) };
const IN_PLACE = "/node_modules/pos-connect";
const IMPORT_MAP = `<script type="importmap">{ "imports": { "pos-connect": "${IN_PLACE}/index.js" } }</script>`;
const IMPORT_INLINE = "import `pos-connect/inline`";
const NO_TYPE = { type: undefined };
const react = { react: "19.3.1", "react-dom": "19.3.1" };
const types = { "@types/node": "26.6.6", "@types/react": "19.3.3", "@types/react-dom": "19.3.0" };

const next = (name, flag) => ({
  name,
  packages: { next: "16.4.6", ...react, ...types, typescript: "6.0.3" },
  manifest: NO_TYPE,
  files: {
    "app/layout.tsx": `import type { ReactNode } from "react";
export default function Layout({ children }: { children: ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}`,
    "app/page.tsx": `import { App } from "./till";
export default function Page() {
  return <App tillKey="any" />;
}`,
    "app/till.tsx": `"use client";\n${REACT}`,
  },
  ways: [
    { build: `next build ${flag}`, start: "next start -p PORT" },
    { start: `next dev ${flag} -p PORT` },
  ],
});

export const ROWS = [
  {
    name: "Vite 8",
    packages: { vite: "8.3.8" },
    files: plain,
    ways: [{ build: "vite build", folder: "dist" }, { start: "vite --port PORT" }],
  },
  {
    name: "Vite 7",
    says: `${IMPORT_INLINE}, or set \`optimizeDeps: { exclude: ["pos-connect"] }\``,
    packages: { vite: "7.3.8" },
    files: { ...plain, "main.js": INLINE },
    ways: [
      { build: "vite build", folder: "dist", wasmFiles: 0 },
      { start: "vite --port PORT", wasmFiles: 0 },
    ],
  },
  {
    name: "webpack 5",
    packages: { webpack: "5.113.0", "webpack-cli": "7.3.1", "webpack-dev-server": "6.1.0" },
    files: { "dist/index.html": html('<script defer src="main.js"></script>'), "src/index.js": TILL },
    ways: [
      { build: "webpack --mode production", folder: "dist" },
      { start: "webpack serve --mode development --static dist --port PORT" },
    ],
  },
  next("Next.js 16 (Turbopack)", "--turbopack"),
  next("Next.js 16 (webpack)", "--webpack"),
  {
    name: "Rspack 2",
    packages: { "@rspack/core": "2.3.3", "@rspack/cli": "2.2.8", "@rspack/dev-server": "2.2.2" },
    files: { "dist/index.html": html('<script defer src="main.js"></script>'), "src/index.js": TILL },
    ways: [{ build: "rspack build --mode production", folder: "dist" }],
  },
  {
    name: "Rsbuild 2",
    packages: { "@rsbuild/core": "2.3.2" },
    files: { "src/index.js": WITH_BUTTONS },
    ways: [{ build: "rsbuild build", folder: "dist" }, { start: "rsbuild dev --port PORT" }],
  },
  {
    name: "Rollup 4",
    says: IMPORT_INLINE,
    packages: { rollup: "4.68.8", "@rollup/plugin-node-resolve": "16.0.3" },
    files: { ...beside, "main.js": INLINE },
    ways: [{ build: "rollup main.js -p node-resolve -f es -d dist", folder: "dist", wasmFiles: 0 }],
  },
  {
    name: "Rolldown",
    says: IMPORT_INLINE,
    packages: { rolldown: "1.3.2" },
    files: { ...beside, "main.js": INLINE },
    ways: [{ build: "rolldown main.js -d dist", folder: "dist", wasmFiles: 0 }],
  },
  {
    name: "esbuild",
    says: `${IMPORT_INLINE}; the QR code's file needs \`splitting\``,
    packages: { esbuild: "0.28.2" },
    files: { ...beside, "main.js": INLINE },
    ways: [{ build: "esbuild main.js --bundle --splitting --format=esm --outdir=dist", folder: "dist", wasmFiles: 0 }],
  },
  {
    name: "Parcel 2",
    says: "nothing; its development server takes no `await` at the top level",
    packages: { parcel: "2.16.4" },
    manifest: NO_TYPE,
    files: { "index.html": html('<script type="module" src="main.js"></script>'), "main.js": IN_FUNCTION },
    ways: [{ build: "parcel build index.html", folder: "dist" }, { start: "parcel index.html --port PORT" }],
  },
  {
    name: "Astro 7",
    packages: { astro: "7.3.5" },
    files: {
      "src/pages/index.astro": html("").replace("</body>", '<script src="../till.js"></script></body>'),
      "src/till.js": TILL,
    },
    ways: [{ build: "astro build", folder: "dist" }, { start: "astro dev --port PORT" }],
  },
  {
    name: "SvelteKit 3",
    packages: {
      "@sveltejs/kit": "3.2.0",
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      "@sveltejs/adapter-node": "6.0.1",
      svelte: "5.57.3",
      vite: "8.3.8",
      typescript: "6.0.3",
    },
    files: {
      "vite.config.js": `import { sveltekit } from "@sveltejs/kit/vite";
import adapter from "@sveltejs/adapter-node";
export default { plugins: [sveltekit({ adapter: adapter() })] };`,
      "src/app.html": `<!doctype html><html lang="en"><head>%sveltekit.head%</head>
<body data-sveltekit-preload-data="hover"><div style="display: contents">%sveltekit.body%</div></body></html>`,
      "src/routes/pos.ts": SVELTE_CLIENT,
      "src/routes/Connect.svelte": SVELTE,
      "src/routes/+page.svelte": `<script lang="ts">
  import Connect from "./Connect.svelte";
  import { posConnect } from "./pos";
  const options = { baseUrl: "SERVICE", connectUrl: "SERVICE/connect", clientId: "till" };
  let name = $state("");
  async function charge() {
    const pos = await posConnect(options);
    const lines = [{ name: "Bread", quantity: 1, amount: 1191 }];
    const order = { externalId: crypto.randomUUID(), time: new Date(), currency: "ILS", total: 1191, lines };
    await pos.charge(order, { region: "IL", print: () => {} });
  }
</script>
<p>{name}</p>
{#if !name}
  <Connect {options} onconnected={({ account }) => (name = account.name)} onfailed={console.error} />
{/if}
<button onclick={charge}>Charge</button>`,
    },
    ways: [{ build: "vite build", start: "node build" }, { start: "vite dev --port PORT" }],
  },
  {
    name: "Nuxt 4",
    packages: { nuxt: "4.5.2", vue: "3.5.45" },
    files: {
      "nuxt.config.ts": "export default defineNuxtConfig({ telemetry: false });",
      "app/app.vue": VUE,
      "app/plugins/pos-connect.ts": `import { posConnect } from "pos-connect/vue";
export default defineNuxtPlugin(({ vueApp }) => {
  vueApp.use(posConnect, { baseUrl: "SERVICE", connectUrl: "SERVICE/connect", clientId: "till" });
});`,
    },
    // Nuxt prefetches what a page may need.
    ways: [
      { build: "nuxt build", start: "node .output/server/index.mjs", wasmFiles: 2 },
      { start: "nuxt dev --port PORT" },
    ],
  },
  {
    name: "Angular 22",
    says: IMPORT_INLINE,
    packages: {
      ...{ "@angular/cli": "22.2.7", "@angular/build": "22.2.7", "@angular/compiler-cli": "22.2.6" },
      ...{ "@angular/common": "22.2.6", "@angular/compiler": "22.2.6", "@angular/core": "22.2.6" },
      ...{ "@angular/platform-browser": "22.2.6", rxjs: "7.8.2", tslib: "2.9.1", typescript: "6.0.3" },
    },
    manifest: NO_TYPE,
    files: {
      "angular.json": JSON.stringify({
        version: 1,
        projects: {
          till: {
            projectType: "application",
            root: "",
            architect: {
              build: {
                builder: "@angular/build:application",
                options: { browser: "src/main.ts", tsConfig: "tsconfig.json", index: "src/index.html" },
              },
              serve: { builder: "@angular/build:dev-server", options: { buildTarget: "till:build" } },
            },
          },
        },
      }),
      "tsconfig.json": JSON.stringify({
        compilerOptions: { strict: true, target: "ES2022", module: "preserve", skipLibCheck: true },
        include: ["src/**/*.ts"],
      }),
      "src/index.html": `<!doctype html>
<html lang="en"><head><base href="/"></head><body><app-root></app-root></body></html>`,
      "src/till.ts": ANGULAR,
      "src/main.ts": `import { Component, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { Till } from "./till";
@Component({
  selector: "app-root",
  template: \`<p>{{ till.state()?.connection?.account?.name }}</p>
    <button (click)="connect()">Connect</button> <button (click)="charge()">Charge</button> {{ failed() }}\`,
})
class App {
  readonly till = new Till();
  readonly failed = signal("");
  async connect() {
    await this.till.pos.then((pos) => pos.connect()).catch((error) => this.failed.set(error.message));
  }
  async charge() {
    const pos = await this.till.pos;
    const lines = [{ name: "Bread", quantity: 1, amount: 1191 }];
    const order = { externalId: crypto.randomUUID(), time: new Date(), currency: "ILS", total: 1191, lines };
    await pos.charge(order, { region: "IL", print: () => {} });
  }
}
bootstrapApplication(App);`,
    },
    ways: [
      { build: "ng build", folder: "dist/till/browser", wasmFiles: 0 },
      { start: "ng serve --port PORT", wasmFiles: 0 },
    ],
  },
  {
    name: "vite-plugin-pwa",
    says: 'set `workbox: { globPatterns: ["**/*.{js,css,html,wasm}"] }`',
    packages: { "vite-plugin-pwa": "2.0.0", vite: "8.3.8", "workbox-build": "7.4.1", "workbox-window": "7.4.1" },
    files: {
      ...plain,
      "vite.config.js": `import { VitePWA } from "vite-plugin-pwa";
const workbox = { globPatterns: ["**/*.{js,css,html,wasm}"] };
export default { plugins: [VitePWA({ registerType: "autoUpdate", workbox })] };`,
    },
    // Once from the server, and once from the worker.
    ways: [{ build: "vite build", folder: "dist", wasmFiles: 2, also: startsOffline }],
  },
  {
    name: "import map",
    says: "serve the package's folder, map `pos-connect` to its `index.js`",
    files: { "index.html": html(IMPORT_MAP + MODULE), "main.js": TILL },
    ways: [{ folder: "." }],
  },
  {
    name: "script tag",
    says: "serve the package's folder, load its `pos-connect.iife.js`",
    files: {
      "index.html": html(`<script src="${IN_PLACE}/pos-connect.iife.js"></script>
<script defer src="/main.js"></script>`),
      "main.js": SCRIPT,
    },
    ways: [{ folder: "." }],
  },
  {
    name: "Vitest 5",
    packages: { vitest: "5.1.2", vite: "8.3.8" },
    files: {
      "till.test.js": `import { PosConnect } from "pos-connect";
import { fakeService } from "pos-connect/testing";
import { expect, test } from "vitest";
test("the package sells over the fake service", async () => {
  const service = fakeService({ connection: {} });
  globalThis.fetch = service.fetch;
  const pos = await PosConnect.create(service.options);
  const lines = [{ name: "Bread", quantity: 1, amount: 1191 }];
  const order = { externalId: "1041", time: new Date(), currency: "ILS", total: 1191, lines };
  expect((await pos.orders.send(order)).state).toBe("accepted");
});`,
    },
    ways: [{ build: "vitest run" }],
  },
];

/** The page starts and sells without its server. */
async function startsOffline({ counter, page, site }) {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await site.close();
  await page.reload();
  await counter.charge(page);
  await page.getByText("Order accepted: no paper").waitFor();
}

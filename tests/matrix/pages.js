// The tills that the documentation shows, as files of an app, on the simulation of `npx pos-connect dev`.
import { pages, text } from "../docs/pages.js";

const page = (path) => all.find((one) => one.path === path);
const all = await pages();
const fence = (language, nth = 0) =>
  page("docs/frameworks.md").fences.filter((one) => one.language === language)[nth].code;

/** Each address of a page becomes that of the simulation, and the till key any. */
const simulated = (code) =>
  code
    .replace(/^const \{ key \} = .*$/m, 'const key = "any";')
    .replace(/"https?:\/\/(?:127\.0\.0\.1:8080|auth\.example\.com)\/connect"/, '"SERVICE/connect"')
    .replace(/"https?:\/\/(?:127\.0\.0\.1:8090|relay\.pos-vendor\.example)"/, '"SERVICE"')
    .replace(/"(?:demo-till|your-client-id)"/, '"till"');

const BUTTONS = `<button id="connect" type="button" disabled>Connect</button>
<button id="charge" type="button" disabled>Charge</button>`;

/** The page of the quick start, with these elements in its head. */
export const html = (head) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Till</title>${head}</head>
<body>${BUTTONS}</body></html>`;

export const TILL = simulated(await text("examples/till/till.js"));
export const REACT = simulated(fence("tsx"));
export const VUE = simulated(fence("vue"));
export const SVELTE_CLIENT = simulated(fence("ts", 1));
export const SVELTE = simulated(fence("svelte"));
export const ANGULAR = simulated(fence("ts", 2));

const [imports, ...rest] = TILL.split("\n");
/** The quick start without `await` at the top level. */
export const IN_FUNCTION = `${imports}\n(async () => {\n${rest.join("\n")}\n})();\n`;
/** The quick start without modules. */
export const SCRIPT = IN_FUNCTION.replace(/^import (.*) from .*$/m, "const $1 = posConnect;");

const ADD_BUTTONS = `document.body.insertAdjacentHTML("beforeend", \`${BUTTONS}\`);`;
/** The quick start in a page that its tool makes. */
export const WITH_BUTTONS = `${imports}\n${ADD_BUTTONS}\n${rest.join("\n")}`;

/** The quick start with the entry that carries the WebAssembly. */
export const INLINE = TILL.replace('"pos-connect"', '"pos-connect/inline"');

// Options of the keypad as controls: the keypad and the code beside it follow each change.
import { PosConnect } from "./till/pos-connect/index.js";

const LANGUAGES = { en: "English", he: "עברית", ar: "العربية", es: "Español" };
const REGIONS = "AE AR AU BR CA CL CO DE EG ES FR GB IL IN IT JO JP MA MX NL PE PL PT SA TR US ZA".split(" ");
const regionNames = new Intl.DisplayNames("en", { type: "region" });
const BEGINNING = { region: "US" };

/** The first choice of a list is what the package does without the option. */
const OPTIONS = {
  region: REGIONS.map((region) => [region, regionNames.of(region)]),
  locale: [["", "the page's"], ...Object.entries(LANGUAGES)],
  languages: [
    ["", "no button"],
    ["en es", "English, Spanish"],
    ["he ar en", "Hebrew, Arabic, English"],
    [Object.keys(LANGUAGES).join(" "), "all four"],
  ],
  container: [["", "a dialog"], ["#place", "in the page"]],
  allowNone: false,
  noAnswer: [["", "prints"], ["none", "no receipt"]],
  idleSeconds: [["", "60"], ["25", "25"], ["120", "120"]],
  outcomeSeconds: [["", "2"], ["0", "0"], ["5", "5"]],
  announce: [["", "digits"], ["count", "count"], ["off", "off"]],
  feedback: [["", "none"], ["haptic", "haptic"], ["click", "click"], ["both", "both"]],
  context: "Paid $11.91 · Order 1041",
  prefill: "",
};

/** Custom properties, and the page's color scheme. */
const LOOKS = {
  "color-scheme": [["", "the system's"], ["light", "light"], ["dark", "dark"]],
  "--ereceipt-accent": [
    ["", "blue"],
    ["light-dark(#17604a, #7fd6b2)", "green"],
    ["light-dark(#6d2e8c, #dcb0f5)", "purple"],
    ["light-dark(#a83a12, #ffb899)", "orange"],
    ["light-dark(#2f3640, #d5dbe4)", "graphite"],
  ],
  "--ereceipt-key-size": [["", "64px"], ["48px", "48px"], ["80px", "80px"]],
  "--ereceipt-radius": [["", "12px"], ["0px", "0px"], ["24px", "24px"]],
};

const byId = (id) => document.getElementById(id);
const form = document.querySelector("form");

function controlOf(name, choices) {
  const label = document.createElement("label");
  const isList = Array.isArray(choices);
  const control = document.createElement(isList ? "select" : "input");
  if (isList) control.append(...choices.map(([value, text]) => new Option(text, value)));
  else if (typeof choices === "boolean") control.type = "checkbox";
  else control.value = choices;
  control.name = name;
  if (BEGINNING[name]) control.value = BEGINNING[name];
  const text = document.createElement("code");
  text.textContent = name.replace("--ereceipt-", "");
  label.append(text, control);
  return label;
}

function show(rows) {
  form.append(...Object.entries(rows).map(([name, choices]) => controlOf(name, choices)));
}

/** What is chosen: the members that are not the package's own defaults. */
function chosen(rows) {
  const values = Object.keys(rows).map((name) => {
    const { type, checked, value } = form.elements[name];
    return [name, type === "checkbox" ? checked : value];
  });
  return Object.fromEntries(values.filter(([, value]) => value));
}

const READ = { languages: (text) => text.split(" "), idleSeconds: Number, outcomeSeconds: Number };

/** As `charge` and `receiptFor` take them. */
const optionsOf = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, READ[name]?.(value) ?? value]));

const written = (value) => (Array.isArray(value) ? `[${value.map(written).join(", ")}]` : JSON.stringify(value));

function sampleOf(options, { "color-scheme": scheme, ...looks }) {
  const rows = Object.entries(options).map(([name, value]) => `  ${name}: ${written(value)},\n`);
  const rule = (selector, members) =>
    members.length ? [`${selector} {\n${members.map(([name, value]) => `  ${name}: ${value};\n`).join("")}}`] : [];
  const css = [
    ...rule(":root", scheme ? [["color-scheme", scheme]] : []),
    ...rule("ereceipt-keypad", Object.entries(looks)),
  ];
  const script = `const sold = await pos.charge(order, {\n${rows.join("")}  print,\n});\n`;
  return { script, css: css.join("\n") };
}

const client = PosConnect.create({
  baseUrl: new URL("relay", location.href).href,
  connectUrl: new URL("connect", location.href).href,
  clientId: "till",
  vault: "memory",
  ereceipt: true,
});

let stop = new AbortController();

/** Asks as the sample does, without an order. */
async function ask(options) {
  const { signal } = stop;
  byId("outcome").textContent = "";
  byId("ask").hidden = true;
  let said;
  try {
    const { kind, reason } = await (await client).receiptFor({ orderId: "1041", ...options, signal });
    said = `kind: "${kind}"${reason ? `, reason: "${reason}"` : ""}`;
  } catch (error) {
    said = `${error.code}: ${error.message}`;
  }
  if (signal.aborted) return;
  byId("outcome").textContent = said;
  byId("ask").hidden = false;
}

/** Shows what is chosen. Gives the options. */
function follow() {
  stop.abort();
  stop = new AbortController();
  const options = optionsOf(chosen(OPTIONS));
  const { script, css } = sampleOf(options, chosen(LOOKS));
  byId("sample").textContent = css ? `${script}\n/* CSS */\n${css}\n` : script;
  byId("look").textContent = css;
  byId("place").replaceChildren();
  byId("place").hidden = !options.container;
  return options;
}

/** A keypad in the page takes the focus, and scrolls into view: whoever is at the controls stays there. */
function followAt(control) {
  const options = follow();
  byId("ask").hidden = Boolean(options.container);
  if (!options.container) return;
  const [left, top] = [scrollX, scrollY];
  const stay = ({ target }) => {
    if (control) control.focus({ preventScroll: true });
    else target.blur();
    scrollTo(left, top);
  };
  byId("place").addEventListener("focusin", stay, { once: true, signal: stop.signal });
  void ask(options);
}

show(OPTIONS);
form.append(Object.assign(document.createElement("h2"), { textContent: "How it looks" }));
show(LOOKS);
form.elements.container.value = "#place";
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", ({ target }) => followAt(target));
byId("ask").addEventListener("click", () => ask(follow()));
followAt();
await client;
document.documentElement.dataset.ready = ""; // For whoever drives this page.

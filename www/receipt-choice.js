// The switches of the receipt step, kept across reloads. They hold nothing about a customer.
import { read, write } from "./storage.js";

const KEY = "till-receipt";
const forBrowser = () => localStorage;
const REGIONS = [
  "US",
  "IL",
  "AE",
  "AR",
  "AU",
  "BR",
  "DE",
  "ES",
  "FR",
  "GB",
  "IN",
  "IT",
  "JP",
  "MX",
  "NL",
  "SA",
  "TR",
  "ZA",
];
const names = new Intl.DisplayNames("en", { type: "region" });

/** The languages that can be chosen, each by its own name. */
export const locales = [
  ["en", "English"],
  ["he", "עברית"],
  ["ar", "العربية"],
  ["es", "Español"],
];
const selects = {
  ereceipt: [
    ["account", "as the account says"],
    ["on", "on, without connecting"],
    ["off", "off"],
  ],
  region: REGIONS.map((region) => [region, names.of(region)]),
  locale: locales,
  layout: [
    ["dialog", "dialog"],
    ["inline", "beside the order"],
    ["customer", "customer display"],
  ],
  keypad: [
    ["bakery", "as the till"],
    ["ocean", "ocean"],
    ["plum", "plum"],
    ["graphite", "graphite"],
    ["sunset", "sunset"],
    ["contrast", "high contrast"],
  ],
  gateway: [
    ["works", "accepts"],
    ["refuses", "refuses"],
    ["hangs", "never answers"],
  ],
};
const labels = {
  ereceipt: "E-receipts",
  region: "Region",
  locale: "Language",
  layout: "Keypad in",
  keypad: "Keypad's look",
  gateway: "Text gateway",
};
const switches = {
  allowNone: "Offer “no receipt”",
  allowScan: "Offer a code to scan",
  languages: "A language button for the shopper",
  scanner: "A scanner reads a barcode after 3 s",
  ghosts: "Slow kiosk: late and double clicks",
};

/** What is chosen now: one member for each switch. */
export const choice = {
  ...Object.fromEntries(Object.entries(selects).map(([name, options]) => [name, options[0][0]])),
  ...Object.fromEntries(Object.keys(switches).map((name) => [name, false])),
  ...stored(),
};

function stored() {
  const isSwitch = (name, value) => Object.hasOwn(switches, name) && typeof value === "boolean";
  const known = ([name, value]) => selects[name]?.some(([option]) => option === value) || isSwitch(name, value);
  return Object.fromEntries(Object.entries(read(forBrowser, KEY) ?? {}).filter(known));
}

const showLook = () => {
  document.documentElement.dataset.keypad = choice.keypad;
};

/** Shows a control after or before its label, and keeps what is chosen. */
function offer(name, control, ...parts) {
  control.id = `choose-${name}`;
  control.addEventListener("change", () => {
    choice[name] = control.type === "checkbox" ? control.checked : control.value;
    write(forBrowser, KEY, choice);
    showLook();
  });
  const label = document.createElement("label");
  label.append(...parts);
  document.getElementById("choices").append(label);
  return label;
}

showLook();
for (const [name, options] of Object.entries(selects)) {
  const select = document.createElement("select");
  select.append(...options.map(([value, text]) => new Option(text, value, false, choice[name] === value)));
  offer(name, select, `${labels[name]} `, select);
}
for (const [name, text] of Object.entries(switches)) {
  const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: choice[name] });
  offer(name, box, box, ` ${text}`).className = "switch";
}

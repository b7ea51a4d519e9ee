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

const selects = {
  ereceipt: [
    ["account", "as the account says"],
    ["on", "on, without connecting"],
    ["off", "off"],
  ],
  region: REGIONS.map((region) => [region, names.of(region)]),
  locale: [
    ["en", "English"],
    ["he", "עברית"],
    ["ar", "العربية"],
    ["es", "Español"],
  ],
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
const switches = ["allowNone", "allowScan", "languages", "scanner", "ghosts"];

/** What is chosen now: one member for each switch. */
export const choice = {
  ...Object.fromEntries(Object.entries(selects).map(([name, options]) => [name, options[0][0]])),
  ...Object.fromEntries(switches.map((name) => [name, false])),
  ...stored(),
};

function stored() {
  const known = ([name, value]) =>
    selects[name]?.some(([option]) => option === value) || (switches.includes(name) && typeof value === "boolean");
  return Object.fromEntries(Object.entries(read(forBrowser, KEY) ?? {}).filter(known));
}

const keep = () => write(forBrowser, KEY, choice);

const showLook = () => {
  document.documentElement.dataset.keypad = choice.keypad;
};

showLook();
for (const [name, options] of Object.entries(selects)) {
  const select = document.getElementById(`choose-${name}`);
  select.append(...options.map(([value, text]) => new Option(text, value, false, choice[name] === value)));
  select.addEventListener("change", () => {
    choice[name] = select.value;
    keep();
    showLook();
  });
}
for (const name of switches) {
  const box = document.getElementById(`choose-${name}`);
  box.checked = choice[name];
  box.addEventListener("change", () => {
    choice[name] = box.checked;
    keep();
  });
}

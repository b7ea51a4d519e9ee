// Which parts of the till are in sight. A wide screen shows items and order side by side, and the panel beside them on
// demand; a narrow one shows one part at a time. The style sheet decides which it is, so both choices are kept.
import { read, write } from "./storage.js";

const KEY = "till-panel";
const forBrowser = () => localStorage;
const buttons = () => document.querySelectorAll("#views button");
const isKiosk = () => "kiosk" in document.documentElement.dataset; // It has no panel.
const panelButton = document.getElementById("panel");

/** What happened last is in sight. A list that is not shown cannot be scrolled. */
function showNewest() {
  const list = document.getElementById("steps");
  list.scrollTop = list.scrollHeight;
}

/** Shows a part, where one is shown at a time. */
export function showPart(name) {
  document.body.dataset.view = name;
  for (const button of buttons()) button.setAttribute("aria-pressed", String(button.dataset.view === name));
  showNewest();
}

function openPanel(isOpen) {
  document.body.toggleAttribute("data-panel", isOpen);
  panelButton.setAttribute("aria-expanded", String(isOpen));
  showNewest();
}

/** Shows what happens, whatever the width. */
export function showFlow() {
  if (isKiosk()) return;
  showPart("flow");
  openPanel(true);
}

export function startViews() {
  for (const button of buttons()) button.addEventListener("click", () => showPart(button.dataset.view));
  panelButton.addEventListener("click", () => {
    openPanel(!("panel" in document.body.dataset));
    write(forBrowser, KEY, "panel" in document.body.dataset);
  });
  showPart("sale");
  openPanel(!isKiosk() && read(forBrowser, KEY) === true);
}

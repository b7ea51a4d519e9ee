// What the pages to copy from share: the demo login, and their script printed as text.
import { showLogin } from "./login.js";
import { loadSettings, showMode } from "./settings.js";

const COMMENT = /(^|\s)\/\/ .*$/;

for (const box of document.querySelectorAll("[data-source]")) {
  const response = await fetch(box.dataset.source);
  const lines = (await response.text()).trimEnd().split("\n");
  box.replaceChildren(...lines.flatMap((line) => {
    const start = line.search(COMMENT);
    const comment = document.createElement("span");
    comment.className = "comment";
    comment.textContent = start < 0 ? "" : line.slice(start);
    return [start < 0 ? line : line.slice(0, start), comment, "\n"];
  }));
}

const { account, mode } = await loadSettings();
showMode(mode);
showLogin(account);
// The page's own script enables the button last. To await its import is too early in WebKit (bug 242740).
const button = document.getElementById("connect");
if (button.disabled)
  await new Promise((resolve) => new MutationObserver(resolve).observe(button, { attributes: true }));
document.documentElement.dataset.ready = ""; // For whoever drives this page.

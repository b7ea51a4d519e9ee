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
await import(`./${document.querySelector("[data-source]").dataset.source}`); // It runs once; here its end is awaited.
document.documentElement.dataset.ready = ""; // For whoever drives this page.

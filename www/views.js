// On a narrow screen the till shows one of its parts at a time. Wide screens show all of them: the style sheet decides.
const buttons = () => document.querySelectorAll("#views button");

export function showView(name) {
  if (name === "flow" && "kiosk" in document.documentElement.dataset) return; // It has no panel.
  document.body.dataset.view = name;
  for (const button of buttons()) button.setAttribute("aria-pressed", String(button.dataset.view === name));
}

export function startViews() {
  for (const button of buttons()) button.addEventListener("click", () => showView(button.dataset.view));
  showView("sale");
}

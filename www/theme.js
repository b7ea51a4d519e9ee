// Light or dark: the system's choice until the visitor makes one. A classic script, so that the choice is there before
// the first paint.
(() => {
  const KEY = "till-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;

  const chosen = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    } // Storage may be forbidden; then the choice lasts as long as the page.
  };
  const keep = (theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      /* see above */
    }
  };
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

  const theme = chosen();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      keep(root.dataset.theme);
      show();
    });
    system.addEventListener("change", show);
    show();
  });
})();

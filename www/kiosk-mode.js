// index.html?kiosk: for a screen that shoppers touch themselves. No panel, the keypad covers the till, and the first
// touch makes it full screen. A classic script, so that the panel is never painted.
if (new URLSearchParams(location.search).has("kiosk")) {
  const root = document.documentElement;
  root.dataset.kiosk = "";
  // A browser that cannot, or may not, stays as it is.
  addEventListener("click", () => root.requestFullscreen?.({ navigationUI: "hide" }).catch(() => {}), { once: true });
}

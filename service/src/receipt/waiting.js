// Looks again by itself: 40 times in about a quarter of an hour, and only while somebody can see it.
(() => {
  "use strict";
  const tries = (history.state?.tries ?? 0) + 1;
  if (tries > 40) return;

  const look = () => {
    if (document.hidden || !navigator.onLine) {
      document.addEventListener("visibilitychange", look, { once: true });
      addEventListener("online", look, { once: true });
      return;
    }
    history.replaceState({ tries }, "");
    location.reload();
  };

  setTimeout(look, Math.min(2_000 * 1.2 ** tries, 30_000));
})();

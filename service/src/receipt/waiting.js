// Looks again by itself: 40 times in about a quarter of an hour, and only while somebody can see it.
(() => {
  "use strict";
  let tries = 0;

  // Not by a reload: a page without a script, as of a refusal or a failure, would look no more.
  const look = async () => {
    if (document.hidden) return document.addEventListener("visibilitychange", look, { once: true });
    const answer = await fetch(location.href).catch(() => undefined);
    const isReceipt = answer?.ok && !(await answer.text()).includes("waiting.js");
    if (isReceipt) location.reload();
    else wait();
  };

  const wait = () => {
    if (++tries <= 40) setTimeout(look, Math.min(2_000 * 1.2 ** tries, 30_000));
  };

  wait();
})();

// Looks again by itself: 40 times in about a quarter of an hour, and only while somebody can see it.
(() => {
  "use strict";
  let tries = 0;

  // Not by a reload: a page without a script, as of a refusal or a failure, would look no more.
  const look = async () => {
    if (document.hidden) return document.addEventListener("visibilitychange", look, { once: true });
    if (await isThere().catch(() => false)) location.reload();
    else wait();
  };

  const isThere = async () => {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(20_000) });
    // An item's name has no bare quotes in the page.
    return answer.ok && (await answer.text()).includes('id="print"');
  };

  const wait = () => {
    if (++tries <= 40) setTimeout(look, Math.min(2_000 * 1.2 ** tries, 30_000));
  };

  wait();
})();

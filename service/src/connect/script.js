// Tells the till what this page shows, as protocol/src/hint.rs says; never a token. Everything else works without
// script.
(() => {
  "use strict";
  const { hint, origins, till } = document.body.dataset;
  const registered = origins.split(" ").filter(Boolean);
  const tell = (target, origin) => {
    if (hint) target.postMessage({ posConnect: 1, type: hint }, origin);
  };
  const host = window.parent === window ? window.opener : window.parent;
  // For browsers that do not tell the service: in the till's frame there is no other screen to compare it with.
  if (window.parent !== window) document.getElementById("code")?.remove();

  window.addEventListener("message", ({ data, origin, source }) => {
    const asked = data !== null && typeof data === "object" && data.posConnect === 1 && data.type === "hello";
    if (!asked || !source || (source !== window.parent && source !== window.opener)) return;
    if (!registered.includes(origin)) return;
    // Goes along with the form, so that the next page can speak first.
    for (const field of document.getElementsByName("till")) field.value = origin;
    tell(source, origin);
  });
  if (host && registered.includes(till)) tell(host, till);

  // The address keeps its query: a page that is loaded again before the first form would be a dead end without it, and
  // it opens nothing but this page.

  for (const form of document.forms) {
    let sent = false;
    form.addEventListener("submit", (event) => {
      if (sent) event.preventDefault();
      sent = true;
      form.setAttribute("aria-busy", "true");
    });
    window.addEventListener("pageshow", () => {
      sent = false;
      form.removeAttribute("aria-busy");
    });
  }
})();

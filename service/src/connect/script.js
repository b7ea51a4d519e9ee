// Tells the till what this page shows, as protocol/src/hint.rs says; never a token. Everything else works without
// script.
(() => {
  "use strict";
  /** Milliseconds that the service may take to answer, and between two tries. */
  const [LONGEST_WAIT, PAUSE] = [8000, 2000];
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
    // What has changed at the till: its colors at once, its language with the next form.
    if (data.theme === "light" || data.theme === "dark") {
      document.documentElement.dataset.theme = data.theme;
      for (const field of document.getElementsByName("theme")) field.value = data.theme;
    }
    if (typeof data.locale === "string" && /^[a-z]{2,3}\b[\w-]{0,32}$/i.test(data.locale))
      for (const field of document.getElementsByName("lang")) field.value = data.locale;
    tell(source, origin);
  });
  if (host && registered.includes(till)) tell(host, till);

  if (window.parent !== window) document.body.dataset.framed = "";

  // Browsers let no field of another site's frame take the focus by itself. Before a form was sent, it is the till's.
  if ("sent" in document.body.dataset) {
    const focused = [...document.querySelectorAll("[data-focus]")].at(-1);
    focused?.focus({ preventScroll: focused.tagName === "MAIN" });
  }

  const reveal = document.querySelector(".reveal");
  if (reveal) {
    const show = (isShown) => {
      reveal.setAttribute("aria-pressed", String(isShown));
      document.getElementById("password").type = isShown ? "text" : "password";
    };
    reveal.hidden = false;
    reveal.addEventListener("click", () => show(reveal.getAttribute("aria-pressed") !== "true"));
    // Browsers offer to keep what is sent from a password field, and remember what is typed into any other.
    reveal.form.addEventListener("submit", () => show(false));
  }

  // An integration that expires while the page is open: said at once, not after the next form.
  const { expires, expired } = document.body.dataset;
  if (expires) {
    setTimeout(() => {
      const notice = document.createElement("p");
      notice.id = "expired";
      notice.className = "notice";
      notice.setAttribute("role", "alert");
      document.querySelector("form").before(notice);
      notice.textContent = expired;
      for (const button of document.querySelectorAll(".actions button")) button.disabled = true;
      notice.scrollIntoView({ block: "nearest" });
    }, Math.min(Number(expires), 2_147_483_647));
  }

  // The actions stay in sight: whether something goes on below them.
  for (const actions of document.querySelectorAll("form .actions")) {
    const look = ([{ intersectionRatio }]) => actions.toggleAttribute("data-covers", intersectionRatio < 1);
    new IntersectionObserver(look, { rootMargin: "0px 0px -1px", threshold: 1 }).observe(actions);
  }

  // The service knows no time zone of the reader's.
  for (const time of document.querySelectorAll("time")) {
    const format = new Intl.DateTimeFormat(`${document.documentElement.lang}-u-nu-latn`, {
      dateStyle: "long",
      timeStyle: "short",
    });
    time.textContent = format.format(new Date(time.dateTime));
  }

  // The button says which store it connects, once one of several is chosen.
  const connect = document.getElementById("connect");
  for (const choice of document.querySelectorAll("input[name=store], select[name=store]")) {
    const name = () => {
      const isChosen = choice.type === "radio" ? choice.checked : choice.value !== "";
      if (!isChosen) return;
      const store = choice.type === "radio" ? choice.nextElementSibling : choice.selectedOptions[0];
      const label = document.createElement("bdi");
      label.textContent = store.textContent;
      const [before, after] = connect.dataset.named.split("{}");
      connect.replaceChildren(before, label, after);
    };
    choice.addEventListener("change", name);
    // What the browser has kept over a reload.
    window.addEventListener("pageshow", name);
    name();
  }

  // What is still empty is no mistake, but Firefox calls the whole form invalid, and screen readers say so. And the
  // browser's own words cover the stores, in a language of its own.
  const missingIn = (form) => {
    const required = [...form.querySelectorAll("[required]")];
    for (const field of required) {
      field.required = false;
      if (field.type !== "radio") field.setAttribute("aria-required", "true"); // Their group has it.
    }
    form.noValidate = true;
    const isMissing = (field) =>
      field.type === "radio"
        ? !required.some(({ checked }) => checked)
        : field.value === "" || field.validity.typeMismatch;
    return () => required.find(isMissing);
  };

  /** As the service does for a page without script. */
  const complained = (form, field) => {
    if (!field) return false;
    const group = field.closest("fieldset");
    const error = document.querySelector(".error") ?? document.createElement("p");
    error.className = "error";
    error.id ||= "missing";
    error.dataset.missing = "";
    if (group) group.querySelector("legend").after(error);
    else form.before(error);
    for (const marked of form.querySelectorAll("[aria-invalid=true]")) marked.setAttribute("aria-invalid", "false");
    const target = group ?? field;
    target.setAttribute("aria-describedby", error.id);
    target.setAttribute("aria-invalid", "true");
    if (group) group.tabIndex = -1;
    // Said once: with what gets the focus, or by itself where that has it already.
    if (target === document.activeElement) error.setAttribute("role", "alert");
    else error.removeAttribute("role");
    error.textContent = form.dataset.missing;
    target.focus();
    return true;
  };

  /** What was wrong is no more, once something else is typed; what was missing, once it is there. */
  const answered = (form, isWhole) => {
    for (const marked of form.querySelectorAll("[aria-invalid=true]")) marked.setAttribute("aria-invalid", "false");
    const error = isWhole && document.querySelector(".error[data-missing]");
    if (!error) return;
    for (const described of form.querySelectorAll(`[aria-describedby="${error.id}"]`))
      described.removeAttribute("aria-describedby");
    error.remove();
  };

  /**
   * Waits until the service can be reached. A form that is sent before leaves the browser's own error page, and takes
   * along what was typed.
   */
  const reached = async (form) => {
    for (;;) {
      try {
        await fetch("connect/script.js", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout?.(LONGEST_WAIT) });
        return document.getElementById("offline")?.remove();
      } catch {
        if (!document.getElementById("offline")) {
          const notice = document.createElement("p");
          notice.id = "offline";
          notice.className = "notice";
          notice.setAttribute("role", "status");
          form.before(notice);
          notice.textContent = document.body.dataset.offline;
          notice.scrollIntoView({ block: "nearest" });
        }
        await new Promise((resolve) => {
          window.addEventListener("online", resolve, { once: true });
          setTimeout(resolve, PAUSE);
        });
      }
    }
  };

  // The address keeps its query: a page that is loaded again before the first form would be a dead end without it, and
  // it opens nothing but this page.

  for (const form of document.forms) {
    const missing = missingIn(form);
    let [isBusy, isReached, submitter] = [false, false];
    form.addEventListener("submit", async (event) => {
      if (isReached) {
        isReached = false;
        return;
      }
      event.preventDefault();
      if (!event.submitter?.formNoValidate && complained(form, missing())) return;
      submitter = event.submitter;
      if (isBusy) return;
      isBusy = true;
      form.setAttribute("aria-busy", "true");
      await reached(form);
      isReached = true;
      form.requestSubmit(submitter);
    });
    form.addEventListener("input", () => answered(form, !missing()));
    window.addEventListener("pageshow", () => {
      isBusy = isReached = false;
      form.removeAttribute("aria-busy");
    });
  }
})();

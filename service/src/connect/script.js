// Tells the till what this page shows, as protocol/src/hint.rs says, never a token; and sends the forms itself, so that
// nothing typed is lost with the network. Without script they are plain forms.
(() => {
  "use strict";
  /** Milliseconds that the service may take to answer, between two tries, and until an error is filled in. */
  const [LONGEST_WAIT, PAUSE, UNHEARD] = [15_000, 2000, 100];
  const isFramed = window.parent !== window;
  const host = isFramed ? window.parent : window.opener;
  const isRegistered = (origin) => Boolean(origin) && document.body.dataset.origins.split(" ").includes(origin);
  const tell = (target, origin) => {
    const { hint } = document.body.dataset;
    if (hint) target.postMessage({ posConnect: 1, type: hint }, origin);
    tellHeight();
  };
  /** How tall the frame has to be for nothing to scroll, in CSS pixels. */
  const tellHeight = () => {
    const { till } = document.body.dataset;
    if (!isFramed || !isRegistered(till)) return;
    const height = Math.ceil(document.querySelector("main").getBoundingClientRect().height);
    host.postMessage({ posConnect: 1, type: "height", height }, till);
  };
  const heights = new ResizeObserver(tellHeight);

  window.addEventListener("message", ({ data, origin, source }) => {
    const asked = data !== null && typeof data === "object" && data.posConnect === 1 && data.type === "hello";
    if (!asked || !source || (source !== window.parent && source !== window.opener)) return;
    if (!isRegistered(origin)) return;
    // Goes along with the form, so that the next page can speak first.
    document.body.dataset.till = origin;
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
  /** A line above the form, for whoever sees or hears the page. */
  const notify = (form, id, role, text) => {
    const notice = document.getElementById(id) ?? document.createElement("p");
    notice.id = id;
    notice.className = "notice";
    notice.setAttribute("role", role);
    form.before(notice);
    if (notice.textContent !== text) notice.textContent = text;
    notice.scrollIntoView({ block: "nearest" });
  };

  /**
   * Screen readers hear what changes in a live region: this one keeps its place, and is filled once they know of it.
   * Firefox makes no live region of an alert.
   */
  const raise = (error) => {
    const { textContent } = error;
    error.removeAttribute("role");
    error.setAttribute("aria-live", "assertive");
    error.style.minBlockSize = `${error.offsetHeight}px`;
    error.textContent = "";
    setTimeout(() => {
      error.textContent ||= textContent;
      error.style.minBlockSize = "";
    }, UNHEARD);
  };

  /** The password can be read, and is hidden before it is sent. */
  const reveal = (button) => {
    const show = (isShown) => {
      button.setAttribute("aria-pressed", String(isShown));
      document.getElementById("password").type = isShown ? "text" : "password";
    };
    button.hidden = false;
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
    // Browsers offer to keep what is sent from a password field, and remember what is typed into any other.
    button.form.addEventListener("submit", () => show(false));
  };

  /** Asks the browser for a passkey before the form goes, where there may be one; elsewhere a code remains. */
  const offerPasskey = (button) => {
    const { passkey, options, none } = button.dataset;
    const { PublicKeyCredential: Credential } = window;
    const mayAsk = !isFramed || document.featurePolicy?.allowsFeature("publickey-credentials-get");
    button.hidden = !mayAsk || !Credential?.parseRequestOptionsFromJSON;
    if (!passkey) return;
    button.addEventListener("click", async (event) => {
      event.preventDefault();
      document.getElementById("no-passkey")?.remove(); // Said anew, it is heard anew.
      const kind = passkey === "create" ? "Creation" : "Request";
      try {
        const publicKey = Credential[`parse${kind}OptionsFromJSON`](JSON.parse(options));
        const credential = await navigator.credentials[passkey]({ publicKey });
        button.form.elements.credential.value = JSON.stringify(credential.toJSON());
      } catch {
        return notify(button.form, "no-passkey", "alert", none);
      }
      button.form.requestSubmit(button);
    });
  };

  let expiry;
  /** An integration that expires while the page is open: said at once, not after the next form. */
  const awaitExpiry = () => {
    clearTimeout(expiry);
    const { expires, expired } = document.body.dataset;
    if (!expires) return;
    expiry = setTimeout(() => {
      notify(document.querySelector("form"), "expired", "alert", expired);
      for (const button of document.querySelectorAll(".actions button, .providers button")) button.disabled = true;
    }, Math.min(Number(expires), 2_147_483_647));
  };

  /** The actions stay in sight: whether something goes on below them. */
  const shade = (actions) => {
    const look = ([{ intersectionRatio }]) => actions.toggleAttribute("data-covers", intersectionRatio < 1);
    new IntersectionObserver(look, { rootMargin: "0px 0px -1px", threshold: 1 }).observe(actions);
  };

  /** The service knows no time zone of the reader's. */
  const writeTime = (time) => {
    const format = new Intl.DateTimeFormat(`${document.documentElement.lang}-u-nu-latn`, {
      dateStyle: "long",
      timeStyle: "short",
    });
    time.textContent = format.format(new Date(time.dateTime));
  };

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

  /** Complains as the service does for a page without script. */
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
    error.textContent = form.dataset.missing;
    // Said once: with what gets the focus, or by itself where that has it already.
    if (target === document.activeElement) raise(error);
    else {
      for (const name of ["role", "aria-live"]) error.removeAttribute(name);
      target.focus();
    }
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

  /** What was pressed last, until it is answered; whether something is being sent; what ends a pause. */
  let [pressed, isSending, wake] = [null, false];

  /** Sends what was pressed, and puts the page that answers in the place of this one. */
  const send = async ({ form, button }, isAgain) => {
    const body = new URLSearchParams(new FormData(form));
    if (button) body.append(button.name, button.value);
    // The buttons are named "action", and hide the form's own.
    const action = form.getAttribute("action");
    const answer = await fetch(action, { method: "POST", body, signal: AbortSignal.timeout?.(LONGEST_WAIT) });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!next.body.dataset.page) throw new Error("This is no page of ours.");
    for (const name of ["lang", "dir", "data-theme"]) {
      const value = next.documentElement.getAttribute(name);
      if (value === null) document.documentElement.removeAttribute(name);
      else document.documentElement.setAttribute(name, value);
    }
    document.title = next.title;
    // The body itself stays: of a new one, Firefox tells no screen reader what has the focus.
    for (const name of document.body.getAttributeNames()) document.body.removeAttribute(name);
    for (const { name, value } of next.body.attributes) document.body.setAttribute(name, value);
    document.body.replaceChildren(...next.body.childNodes);
    window.scrollTo(0, 0);
    // A form counts once. One whose answer was lost is asked for again, and need not be typed again.
    if (!isAgain || document.querySelector(".error")) return;
    for (const field of document.querySelectorAll(".field input")) field.value ||= body.get(field.name) ?? "";
  };

  /** Sends until there is an answer: after each pause, when the network is back, when a button is pressed again. */
  const sendUntilAnswered = async () => {
    isSending = true;
    for (let isAgain = false; pressed; isAgain = true) {
      const { form } = pressed;
      const isAnswered = await send(pressed, isAgain).then(
        () => true,
        () => false,
      );
      if (isAnswered) {
        [pressed, isSending] = [null, false];
        return begin();
      }
      for (const busy of document.querySelectorAll("[aria-busy]")) busy.removeAttribute("aria-busy");
      if (!pressed) break;
      document.querySelector(".error")?.remove(); // It was about what was sent before.
      notify(form, "offline", "status", document.body.dataset.offline);
      await new Promise((resolve) => {
        wake = resolve;
        window.addEventListener("online", resolve, { once: true });
        setTimeout(resolve, PAUSE);
      });
    }
    isSending = false;
  };

  const sendByScript = (form) => {
    const missing = missingIn(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!event.submitter?.formNoValidate && complained(form, missing())) return;
      form.setAttribute("aria-busy", "true");
      pressed = { form, button: event.submitter };
      if (isSending) wake?.();
      else sendUntilAnswered();
    });
    form.addEventListener("input", () => {
      // What is being typed is sent with the next press.
      pressed = null;
      wake?.();
      document.getElementById("offline")?.remove();
      answered(form, !missing());
    });
  };

  // The address keeps its query: a page that is loaded again before the first form would be a dead end without it, and
  // it opens nothing but this page.

  // The provider's code has done its work: it need not stay in the address.
  if (location.search.includes("state=")) history.replaceState(null, "", location.pathname);

  /** What is done with each page: the first one, and those that answer a form. */
  const begin = () => {
    const { sent, till } = document.body.dataset;
    if (isFramed) {
      // In the till's frame there is no other screen to compare it with.
      document.getElementById("code")?.remove();
      document.body.dataset.framed = "";
    }
    for (const form of document.forms) {
      if (form.dataset.leaves === undefined) sendByScript(form);
      // Providers refuse to be framed.
      else if (isFramed) form.target = "_blank";
    }
    document.querySelectorAll(".reveal").forEach(reveal);
    document.querySelectorAll("[data-passkey]").forEach(offerPasskey);
    document.querySelectorAll("form .actions").forEach(shade);
    document.querySelectorAll("time").forEach(writeTime);
    awaitExpiry();
    // Browsers let no field of another site's frame take the focus by itself. Before a form was sent, it is the till's.
    if (sent !== undefined) {
      document.querySelectorAll(".error[role=alert]").forEach(raise);
      const focused = [...document.querySelectorAll("[data-focus]")].at(-1);
      focused?.focus({ preventScroll: focused.tagName === "MAIN" });
    }
    heights.disconnect();
    heights.observe(document.querySelector("main"));
    if (host && isRegistered(till)) tell(host, till);
  };
  begin();
})();

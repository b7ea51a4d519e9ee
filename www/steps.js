import { adviceFor } from "./advice.js";

const clock = new Intl.DateTimeFormat("en-US", {
  hourCycle: "h23",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** The list of what happened, newest last. Whatever it is given, it never prints a secret or a token. */
export class Steps {
  #list = document.getElementById("steps");
  #status = document.getElementById("status");
  #template = document.getElementById("step-template");

  /** A call that is about to be made. */
  call(code, detail) {
    this.#add("call", { code, detail });
  }

  /** The status of the integration, each time that it changes. */
  status(status) {
    const text = {
      pending: "The merchant has not decided yet.",
      finished: "The merchant agreed.",
      cancelled: "The integration was canceled.",
    }[status];
    this.#status.textContent = status;
    this.#status.dataset.status = status;
    this.#add("status", { code: status, text, status });
  }

  /** Something that is neither a call nor its end. */
  note(text, detail) {
    this.#add("note", { text, detail });
  }

  done(text, detail) {
    this.#add("done", { text, detail });
  }

  /** How a call ended that did not end well. An end that a person wanted is not shown as a fault. */
  failure(error) {
    const { code, operation, status, retryable, requestId } = error;
    if (!code) {
      // Not the package's: a bug of this page.
      this.#add("error", { text: error.name, detail: error.message });
      return;
    }
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = adviceFor(code);
    const wanted = ["cancelled", "closed", "aborted", "destroyed"].includes(code);
    this.#add(wanted ? "ended" : "error", {
      code,
      detail: adviceFor(code),
      facts: [
        ["Operation", operation],
        ["HTTP status", status ?? "none"],
        ["Retryable", retryable ? "yes" : "no"],
        ["Request id", requestId ?? "none"],
      ],
    });
  }

  /** The status chip before there is an integration to have one. */
  reset() {
    this.#status.textContent = "No integration";
    this.#status.dataset.status = "none";
  }

  clear() {
    this.#list.replaceChildren();
  }

  #add(kind, { code = "", text = "", detail = "", facts = [], status }) {
    const step = this.#template.content.firstElementChild.cloneNode(true);
    const now = new Date();
    step.dataset.kind = kind;
    if (code) step.dataset.code = code;
    if (status) step.dataset.status = status;
    step.querySelector("time").dateTime = now.toISOString();
    step.querySelector("time").textContent = clock.format(now);
    fill(step.querySelector(".what code"), code);
    fill(step.querySelector(".what span"), text);
    fill(step.querySelector(".detail"), detail);
    const list = step.querySelector(".facts");
    for (const [name, value] of facts) {
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      const row = document.createElement("div");
      term.textContent = name;
      description.textContent = value;
      row.append(term, description);
      list.append(row);
    }
    if (facts.length === 0) list.remove();
    this.#list.append(step);
    this.#list.scrollTop = this.#list.scrollHeight;
  }
}

function fill(element, text) {
  if (text) element.textContent = text;
  else element.remove();
}

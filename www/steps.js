import { adviceFor } from "./advice.js";

const clock = new Intl.DateTimeFormat("en-US", {
  hourCycle: "h23",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

const seconds = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
let isNewRun = false; // Whatever is added next is the first step of a run, whoever adds it.

/** The list of what happened, newest last. Whatever it is given, it never prints a secret or a token. */
export class Steps {
  #list = document.getElementById("steps");
  #status = document.getElementById("status");
  #template = document.getElementById("step-template");
  #running = null; // The call that has not ended: its row, and when it began.

  /** Parts what comes from what was. */
  begin() {
    isNewRun = true;
  }

  /** A call that is about to be made. */
  call(code, detail) {
    this.over();
    this.#running = { row: this.#add("call", { code, detail }), since: performance.now() };
  }

  /** The call has ended. `done`, `failure` and the next call say so by themselves. */
  over() {
    if (!this.#running) return;
    const { row, since } = this.#running;
    row.querySelector(".took").textContent = `${seconds.format((performance.now() - since) / 1000)} s`;
    this.#running = null;
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

  /** Something that is neither a call nor its end. `url` is a page to read on. */
  note(text, detail, url) {
    const step = this.#add("note", { text, detail });
    if (url) step.querySelector(".detail").append(" ", linkTo(url, "Read it"));
  }

  done(text, detail) {
    this.over();
    this.#add("done", { text, detail });
  }

  /** How a call ended that did not end well. An end that a person wanted is not shown as a fault. */
  failure(error) {
    this.over();
    const { code, docUrl, operation, status, retryable, requestId } = error;
    if (!code) {
      // Not the package's: a bug of this page.
      this.#add("error", { text: error.name, detail: error.message });
      return;
    }
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = adviceFor(code);
    const wanted = ["cancelled", "closed", "aborted", "destroyed"].includes(code);
    const step = this.#add(wanted ? "ended" : "error", {
      code,
      text: error.message,
      detail: adviceFor(code),
      facts: [
        ["Operation", operation],
        ["HTTP status", status ?? "none"],
        ["Retryable", retryable ? "yes" : "no"],
        ["Request id", requestId ?? "none"],
      ],
    });
    if (docUrl) step.querySelector(".what code").replaceChildren(linkTo(docUrl, code));
  }

  /** The status chip before there is an integration to have one. */
  reset() {
    this.begin();
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
    if (isNewRun) step.dataset.begins = "";
    isNewRun = false;
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
    return step;
  }
}

const linkTo = (href, textContent) =>
  Object.assign(document.createElement("a"), { href, target: "_blank", rel: "noreferrer", textContent });

function fill(element, text) {
  if (text) element.textContent = text;
  else element.remove();
}

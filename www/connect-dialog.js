// A dialog of the till's own, with the connect frame inline in it: so it can hold what the till wants to say beside the
// frame. Here that is the demo login; whatever stands outside of a modal dialog is out of reach.
import { fillLogin } from "./login.js";

const LONGEST_GOODBYE = 3000;

export class ConnectDialog {
  #dialog;
  #closed = new AbortController();

  constructor(account) {
    const template = document.getElementById("connect-template");
    this.#dialog = template.content.firstElementChild.cloneNode(true);
    fillLogin(this.#dialog, account);
    this.#dialog.querySelector("button").addEventListener("click", () => this.#dialog.close());
    // Escape, too. A frame that has left the page is closed; before there is one, the signal says so.
    this.#dialog.addEventListener("close", () => this.#leave());
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }

  /** For `container`. */
  get place() {
    return this.#dialog.querySelector(".connect-place");
  }

  /** Fires when the dialog was closed before the frame was there. */
  get signal() {
    return this.#closed.signal;
  }

  #leave() {
    if (this.place.hasChildNodes()) this.place.replaceChildren();
    else this.#closed.abort(new Error("The dialog was closed."));
    this.#dialog.remove();
  }

  /** Takes it away, and gives the focus back. */
  close() {
    if (this.#dialog.open) this.#dialog.close();
  }

  /** The same, once the frame is gone, and what the package says after it. */
  async closeAfterFrame() {
    for (const end = Date.now() + LONGEST_GOODBYE; this.place.hasChildNodes() && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 50));
    this.close();
  }
}

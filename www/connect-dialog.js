// A dialog of the till's own, with the connect frame inline in it: so it can hold what the till wants to say beside the
// frame. Here that is the demo login; whatever stands outside of a modal dialog is out of reach.
import { directionOf } from "./display-words.js";
import { fillLogin } from "./login.js";

const LONGEST_GOODBYE = 3000;
// The frame has its own; `locale` is for both.
const words = {
  en: {
    title: "Connect your account",
    close: "Close",
    login: "Demo login",
    email: "Copy email",
    password: "Copy password",
  },
  he: {
    title: "חיבור החשבון שלכם",
    close: "סגירה",
    login: "כניסה להדגמה",
    email: "העתקת האימייל",
    password: "העתקת הסיסמה",
  },
  ar: {
    title: "ربط حسابك",
    close: "إغلاق",
    login: "تسجيل دخول تجريبي",
    email: "انسخ البريد الإلكتروني",
    password: "انسخ كلمة المرور",
  },
  es: {
    title: "Conecte su cuenta",
    close: "Cerrar",
    login: "Acceso de prueba",
    email: "Copiar el correo",
    password: "Copiar la contraseña",
  },
};

export class ConnectDialog {
  #dialog;
  #closed = new AbortController();

  constructor(account, locale) {
    const template = document.getElementById("connect-template");
    this.#dialog = template.content.firstElementChild.cloneNode(true);
    const { login, ...own } = words[locale];
    Object.assign(this.#dialog, { lang: locale, dir: directionOf(locale) });
    for (const [word, text] of Object.entries(own))
      this.#dialog.querySelector(`[data-word=${word}]`).textContent = text;
    this.#dialog.querySelector("[role=group]").ariaLabel = login;
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

  /** Takes the dialog away, and gives the focus back. */
  close() {
    if (this.#dialog.open) this.#dialog.close();
  }

  /** Takes the dialog away once the frame is gone, and what the package says after it. */
  async closeAfterFrame() {
    for (const end = Date.now() + LONGEST_GOODBYE; this.place.hasChildNodes() && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 50));
    this.close();
  }
}

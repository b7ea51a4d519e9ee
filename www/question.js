import { translate } from "./language.js";

/**
 * Asks in a dialog, which `fill` may complete before it opens. Gives the value of the button that ended it, an empty
 * text after Escape, and the dialog.
 */
export async function ask(template, fill = () => {}) {
  const dialog = document.getElementById(template).content.firstElementChild.cloneNode(true);
  fill(dialog);
  translate(dialog);
  document.body.append(dialog);
  dialog.showModal();
  document.activeElement.select?.(); // What is typed replaces what stands there.
  await new Promise((resolve) => {
    dialog.addEventListener("close", resolve); // Escape.
    // An answer does not wait for that event: keys that come before it would press what stands below the dialog.
    dialog.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close(event.submitter?.value ?? "");
      resolve();
    });
  });
  dialog.remove();
  return { answer: dialog.returnValue, dialog };
}

/** Asks before what cannot be taken back; gives whether it shall be done. The words are those of the dialog's parts. */
export async function confirm({ title, text, keep, confirm }) {
  const { answer } = await ask("confirm-template", (dialog) => {
    for (const [name, words] of Object.entries({ h2: title, p: text, "#keep": keep, "#confirm": confirm }))
      dialog.querySelector(name).textContent = words;
  });
  return answer === "confirm";
}

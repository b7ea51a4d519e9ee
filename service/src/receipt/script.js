// Prints, saves and shares the receipt. Without script the buttons are not there, and the page is whole.
(() => {
  "use strict";
  const actions = document.querySelector(".actions");
  const on = (id, act) => document.getElementById(id).addEventListener("click", act);

  /** One file that needs no other, and has nothing to press. */
  const file = () => {
    const copy = document.documentElement.cloneNode(true);
    const style = document.createElement("style");
    style.textContent = Array.from(document.styleSheets[0].cssRules, ({ cssText }) => cssText).join("\n");
    copy.querySelector("link[rel=stylesheet]").replaceWith(style);
    for (const left of copy.querySelectorAll("script, .actions")) left.remove();
    return new Blob(["<!doctype html>\n", copy.outerHTML], { type: "text/html" });
  };

  on("print", () => window.print());
  on("save", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file());
    link.download = `${document.title}.html`;
    link.click();
    // Some browsers read it after the click.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  });
  // Refused, or closed without a choice: both are the reader's.
  on("share", () => navigator.share({ title: document.title, url: location.href }).catch(() => {}));
  document.getElementById("share").hidden = !navigator.share;
  actions.hidden = false;
})();

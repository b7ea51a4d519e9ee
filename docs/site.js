// Tables and blocks that scroll sideways can be scrolled by the keyboard, too.
const mark = () => {
  for (const part of document.querySelectorAll("main .table-wrapper, main pre > code")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", mark);
addEventListener("resize", mark);

// An error's `docUrl` names a row.
for (const row of document.querySelectorAll("#every-code ~ * td:first-child > code")) row.id = row.textContent;
document.getElementById(location.hash.slice(1))?.scrollIntoView();

// mdBook's bar is no landmark, and its switch for the table of contents is a label that no key reaches. A button takes
// its place; the label, out of sight, still has mdBook's listener and state.
document.querySelector("#mdbook-menu-bar")?.setAttribute("role", "banner");
const label = document.querySelector("#mdbook-sidebar-toggle");
const box = document.querySelector("#mdbook-sidebar-toggle-anchor");
if (label && box) {
  label.removeAttribute("for");
  const button = document.createElement("button");
  for (const { name, value } of label.attributes) button.setAttribute(name, value);
  button.type = "button";
  button.append(...label.childNodes);
  button.addEventListener("click", () => {
    label.click();
    box.click();
  });
  const tell = () => button.setAttribute("aria-expanded", label.getAttribute("aria-expanded"));
  new MutationObserver(tell).observe(label, { attributeFilter: ["aria-expanded"] });
  label.replaceWith(button);
}

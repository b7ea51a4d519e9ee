// Tables and blocks that scroll sideways can be scrolled by the keyboard, too.
const mark = () => {
  for (const part of document.querySelectorAll("main .table-wrapper, main pre > code")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", mark);
addEventListener("resize", mark);

// mdBook's bar is no landmark, and its switch for the table of contents is a label that no key reaches: a button takes
// its place.
document.querySelector("#mdbook-menu-bar")?.setAttribute("role", "banner");
const label = document.querySelector("#mdbook-sidebar-toggle");
const box = document.querySelector("#mdbook-sidebar-toggle-anchor");
if (label && box) {
  const button = document.createElement("button");
  for (const { name, value } of label.attributes) if (name !== "for") button.setAttribute(name, value);
  button.append(...label.childNodes);
  button.type = "button";
  const tell = () => button.setAttribute("aria-expanded", String(box.checked));
  button.addEventListener("click", () => box.click());
  box.addEventListener("change", tell);
  tell();
  label.replaceWith(button);
}

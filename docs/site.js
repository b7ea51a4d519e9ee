// Tables and blocks that scroll sideways can be scrolled by the keyboard, too.
const mark = () => {
  for (const part of document.querySelectorAll("main .table-wrapper, main pre > code")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", mark);
addEventListener("resize", mark);

// mdBook's bar is no landmark, and its switch for the table of contents is a label that no key reaches.
document.querySelector("#mdbook-menu-bar")?.setAttribute("role", "banner");
const contents = document.querySelector("#mdbook-sidebar-toggle");
const box = document.querySelector("#mdbook-sidebar-toggle-anchor");
if (contents && box) {
  // A label of a field must not be a button.
  contents.removeAttribute("for");
  contents.addEventListener("click", () => box.click());
  contents.setAttribute("role", "button");
  contents.tabIndex = 0;
  contents.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    contents.click();
  });
}

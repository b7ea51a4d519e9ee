// Tables and blocks that scroll sideways can be scrolled by the keyboard, too.
const mark = () => {
  for (const part of document.querySelectorAll("main .table-wrapper, main pre > code")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", mark);
addEventListener("resize", mark);

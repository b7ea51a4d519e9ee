// A page of React's.
import { createElement } from "react";
import { createRoot } from "react-dom/client";

export const h = createElement;

/** Shows an element in a place of its own, as soon as React has drawn it. */
export function show(element) {
  const place = document.body.appendChild(document.createElement("div"));
  createRoot(place).render(element);
}

/** A button in the dialog, whose press counts. */
export const pay = () => h("button", { id: "pay", onClick: () => (document.body.dataset.paid = "") }, "Pay");

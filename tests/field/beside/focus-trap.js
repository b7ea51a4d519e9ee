import { createFocusTrap } from "focus-trap";

document.body.insertAdjacentHTML(
  "beforeend",
  `<div id="checkout"><button id="pay" onclick="document.body.dataset.paid = ''">Pay</button></div>`,
);
globalThis.trap = createFocusTrap("#checkout").activate();

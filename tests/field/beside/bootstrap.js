import { Modal } from "bootstrap";

document.body.insertAdjacentHTML(
  "beforeend",
  `<div class="modal" id="checkout" tabindex="-1"><div class="modal-dialog"><div class="modal-content">
     <button id="pay" onclick="document.body.dataset.paid = ''">Pay</button></div></div></div>`,
);
new Modal("#checkout").show();

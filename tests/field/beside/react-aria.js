import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { h, pay, show } from "./react.js";

const dialog = h(Dialog, { "aria-label": "Checkout" }, pay());
show(h(ModalOverlay, { defaultOpen: true, isDismissable: true }, h(Modal, null, dialog)));

import { Dialog, DialogPanel } from "@headlessui/react";
import { useState } from "react";
import { h, pay, show } from "./react.js";

function Checkout() {
  const [open, setOpen] = useState(true);
  return h(Dialog, { open, onClose: () => setOpen(false) }, h(DialogPanel, null, pay()));
}
show(h(Checkout));

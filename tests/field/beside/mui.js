import { Dialog } from "@mui/material";
import { useState } from "react";
import { h, pay, show } from "./react.js";

function Checkout() {
  const [open, setOpen] = useState(true);
  return h(Dialog, { open, onClose: () => setOpen(false) }, pay());
}
show(h(Checkout));

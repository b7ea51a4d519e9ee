import { Content, Description, Overlay, Portal, Root, Title } from "@radix-ui/react-dialog";
import { h, pay, show } from "./react.js";

const content = h(Content, null, h(Title, null, "Checkout"), h(Description, null, "One bread"), pay());
show(h(Root, { defaultOpen: true }, h(Portal, null, h(Overlay), content)));

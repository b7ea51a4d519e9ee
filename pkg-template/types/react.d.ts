// Types of `<ereceipt-keypad>` in JSX. Load them once: `import type {} from "pos-connect/react";`
import type { ClassAttributes, HTMLAttributes } from "react";
import type { ReceiptKeypad } from "../index.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "ereceipt-keypad": ClassAttributes<ReceiptKeypad> &
        HTMLAttributes<ReceiptKeypad> & { region?: string; locale?: string };
    }
  }
}

// Types of `<ereceipt-keypad>` in Svelte templates. Load them once: `import type {} from "pos-connect/svelte";`
import type { HTMLAttributes } from "svelte/elements";
import type { ReceiptKeypad } from "../index.js";

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "ereceipt-keypad": HTMLAttributes<ReceiptKeypad> & { region?: string; locale?: string };
  }
}

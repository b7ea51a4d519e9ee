// Types of `<ereceipt-keypad>` in Vue templates. Load them once: `import type {} from "pos-connect/vue";` Vue must be
// told that it is no component of its own: `compilerOptions: { isCustomElement: (tag) => tag === "ereceipt-keypad" }`.
import type { DefineComponent, HTMLAttributes } from "vue";

declare module "vue" {
  interface GlobalComponents {
    "ereceipt-keypad": DefineComponent<HTMLAttributes & { region?: string; locale?: string }>;
  }
}

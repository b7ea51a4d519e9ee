// What a page's code takes for granted, and these tests do not install.

declare module "@vitejs/plugin-vue" {
  interface CompilerOptions {
    isCustomElement?: (tag: string) => boolean;
  }
  export default function vue(options?: { template?: { compilerOptions?: CompilerOptions } }): object;
}

declare module "@angular/core" {
  interface WritableSignal<T> {
    (): T;
    set(value: T): void;
  }
  export function signal<T>(value: T): WritableSignal<T>;
}

declare module "node:assert/strict" {
  const assert: { deepEqual(actual: unknown, expected: unknown): void };
  export default assert;
}

declare module "node:test" {
  export function test(name: string, run: () => Promise<void>): void;
}

declare module "@playwright/test" {
  interface Page {
    locator(selector: string): object;
    waitForTimeout(ms: number): Promise<void>;
  }
  export function test(name: string, run: (given: { page: Page }) => Promise<void>): void;
}

declare module "*.vue" {
  const component: import("vue").DefineComponent;
  export default component;
}

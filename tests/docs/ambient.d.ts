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

declare module "vitest" {
  export function expect(actual: unknown): { toEqual(expected: unknown): void };
  export function test(name: string, run: () => Promise<void>): void;
}

declare module "react-dom/client" {
  export function createRoot(container: Element): { render(node: import("react").ReactNode): void };
}

declare module "@playwright/test" {
  interface Page {
    goto(url: string): Promise<unknown>;
    locator(selector: string): { click(): Promise<void>; waitFor(): Promise<void> };
    waitForTimeout(ms: number): Promise<void>;
  }
  export function test(name: string, run: (given: { page: Page }) => Promise<void>): void;
}

declare module "*.vue" {
  const component: import("vue").DefineComponent;
  export default component;
}

declare module "node:http" {
  export type IncomingMessage = object;
  export type ServerResponse = object;
  export function createServer(handler: import("pos-connect/server").BackEnd["middleware"]): {
    listen(port: number, host: string, listening?: () => void): void;
  };
}

// docs/back-end.md: what a vendor's own code has.
declare const process: { env: Record<string, string | undefined> };
declare const pool: object;
declare const cipher: object;
declare function postgresStorage(on: object, cipher: object): import("pos-connect/server").BackEndStorage;
declare function findTill(authorization: string | null): import("pos-connect/server").Till | null;
declare const app: { use(middleware: import("pos-connect/server").BackEnd["middleware"]): void };
declare const fastify: {
  addHook(
    name: "onRequest",
    hook: (
      request: { raw: import("node:http").IncomingMessage },
      reply: { raw: import("node:http").ServerResponse },
      next: () => void,
    ) => void,
  ): void;
};
declare const hono: { all(path: string, handler: (c: { req: { raw: Request } }) => Promise<Response>): void };

/**
 * Vue 3.5 and newer: one client for the components of an app, and composables on it. Importing it loads the types of
 * `<ereceipt-keypad>` in templates, too. Vue must be told that this is no component of its own:
 * `compilerOptions: { isCustomElement: (tag) => tag === "ereceipt-keypad" }`. Nothing is created on a server.
 *
 * @module pos-connect/vue
 */
import type {
  AllowedComponentProps,
  ComputedRef,
  DefineComponent,
  HTMLAttributes,
  Plugin,
  ShallowRef,
  VNode,
  VNodeProps,
} from "vue";
import type {
  ChargeOptions,
  ChargeResult,
  ConnectOptions,
  CreateOptions,
  Order,
  Orders,
  PosConnect,
  PosConnectError,
  PosState,
  TokenSet,
} from "../index.js";

declare module "vue" {
  interface GlobalComponents {
    "ereceipt-keypad": DefineComponent<HTMLAttributes & { region?: string; locale?: string }>;
  }
}

/**
 * `app.use(posConnect, options)` creates the client of the app, and destroys it when the app is unmounted. A `create`
 * that fails for now is tried again every 10 seconds, and with the next call of a composable. Why it failed is in the
 * console, and in `useConnection`. In place of the options of `create`, it takes a client that you create and destroy
 * yourself, such as the fake of `pos-connect/testing`.
 */
export const posConnect: Plugin<[source: CreateOptions | PosConnect]>;

/** A ref for each member of `T`. */
type Refs<State> = { [Name in keyof State]-?: ComputedRef<State[Name]> };

/** The client; null on a server, while it is loaded, and after `create` has failed. */
export function usePosConnect(): Readonly<ShallowRef<PosConnect | null>>;

/** As in `PosState`. A failure of `create` is "unreachable", too, and `error` says why. */
export interface UseConnection extends Refs<Pick<PosState, "status" | "connection" | "hasEnded">> {
  /** Why the status is "unreachable". */
  error: ComputedRef<PosConnectError | undefined>;
  /** As `PosConnect.disconnect`. */
  disconnect: () => Promise<void>;
}

/** What is known about the connection, in this page and true in all tabs. */
export function useConnection(): UseConnection;

/** What `useConnect` gives. */
export interface UseConnect {
  /** As `PosConnect.connect`. Never rejects: resolves with undefined, and `error` says why. */
  connect: () => Promise<TokenSet | undefined>;
  /** Whether a `connect` of the client runs, whoever has called it. */
  isConnecting: ComputedRef<boolean>;
  /** Why the last `connect` of this call failed. Codes by which the merchant or your page ended it are none. */
  error: Readonly<ShallowRef<PosConnectError | undefined>>;
}

/** Connects in a dialog, or in the `container` of the options: call `connect` in an event handler. */
export function useConnect(options?: ConnectOptions): UseConnect;

/**
 * Connects in the page: a `div` with the frame, from its mount until it is unmounted. Other attributes are the
 * `div`'s. The slot stands below the empty frame after a failure, "closed" and "cancelled" included; `retry` begins
 * anew. `connected` is emitted with the token set.
 */
export const ConnectFrame: {
  /** Called by Vue, for each element. */
  new (): {
    /** What it takes. */
    $props: AllowedComponentProps &
      VNodeProps & {
        /** As `connect` has them. */
        options?: Omit<ConnectOptions, "container" | "signal"> | undefined;
        /** The listener of the event `connected`. */
        onConnected?: ((tokens: TokenSet) => void) | undefined;
      };
    /** What it shows of yours. */
    $slots: {
      /** What stands there after a failure. */
      default?: (failure: { error: PosConnectError; retry: () => void }) => VNode[];
    };
  };
};

/** What `useCharge` gives. */
export interface UseCharge {
  /**
   * As `PosConnect.charge`, with the options of the composable and `more`. If `create` fails, it rejects with that
   * error: then nothing is kept, and `print` is not called.
   */
  charge: (order: Order, more?: Partial<ChargeOptions>) => Promise<ChargeResult>;
  /** Whether a `charge` of this call runs. Disable the button meanwhile. */
  isCharging: ComputedRef<boolean>;
}

/** Sells: call `charge` in an event handler. */
export function useCharge(options: ChargeOptions): UseCharge;

/** What `useOutbox` gives. */
export interface UseOutbox extends Refs<Pick<PosState, "waiting" | "refused">>, Pick<Orders, "retry" | "discard"> {}

/** The orders that wait and those that were refused, in this page and in all tabs. */
export function useOutbox(): UseOutbox;

/**
 * React 18.2 and newer: one client for the components below a provider, and hooks on it. Importing it loads the types
 * of `<ereceipt-keypad>` in JSX, too. Nothing is created on a server.
 *
 * @module pos-connect/react
 */
import type { ClassAttributes, HTMLAttributes, ReactElement, ReactNode } from "react";
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
  ReceiptKeypad,
  TokenSet,
} from "../index.js";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "ereceipt-keypad": ClassAttributes<ReceiptKeypad> &
        HTMLAttributes<ReceiptKeypad> & { region?: string; locale?: string };
    }
  }
}

/** The properties of `PosConnectProvider`. */
export type PosConnectProviderProps = {
  /** Whose hooks have this client. */
  children?: ReactNode;
} & (
  | {
      /**
       * What `create` takes. Of its functions, those of the last render are called. If anything else in it changes,
       * the client is destroyed, and another one created.
       */
      options: CreateOptions;
      /** It makes the client. */
      client?: undefined;
    }
  | {
      /** A client that you create and destroy yourself, such as the fake of `pos-connect/testing`. */
      client: PosConnect;
      /** The client has them. */
      options?: undefined;
    }
);

/**
 * Creates the client when it is mounted, and destroys it after it is unmounted. A `create` that fails for now is tried
 * again every 10 seconds, and with the next call of a hook. Why it failed is in the console, and in `useConnection`.
 */
export function PosConnectProvider(props: PosConnectProviderProps): ReactElement;

/** The client; null on a server, while it is loaded, and after `create` has failed. */
export function usePosConnect(): PosConnect | null;

/** As in `PosState`. A failure of `create` is "unreachable", too, and `error` says why. */
export interface UseConnection extends Pick<PosState, "status" | "connection" | "hasEnded" | "error"> {
  /** As `PosConnect.disconnect`. */
  disconnect(): Promise<void>;
}

/** What is known about the connection, in this page and true in all tabs. */
export function useConnection(): UseConnection;

/** What `useConnect` gives. */
export interface UseConnect {
  /** As `PosConnect.connect`. Never rejects: resolves with undefined, and `error` says why. */
  connect: () => Promise<TokenSet | undefined>;
  /** Whether a `connect` of the client runs, whoever has called it. */
  isConnecting: boolean;
  /** Why the last `connect` of this hook failed. Codes by which the merchant or your page ended it are none. */
  error: PosConnectError | undefined;
}

/** Connects in a dialog, or in the `container` of the options: call `connect` in an event handler. */
export function useConnect(options?: ConnectOptions): UseConnect;

/** The properties of `ConnectFrame`. */
export interface ConnectFrameProps extends Omit<HTMLAttributes<HTMLDivElement>, "children"> {
  /** Read when an attempt begins. */
  options?: Omit<ConnectOptions, "container" | "signal"> | undefined;
  /** Gets the token set once the merchant has connected. The function of the last render is called. */
  onConnected?: ((tokens: TokenSet) => void) | undefined;
  /** What stands below the empty frame after a failure, "closed" and "cancelled" included; `retry` begins anew. */
  children?: ((failure: { error: PosConnectError; retry: () => void }) => ReactNode) | undefined;
}

/** Connects in the page: a `div` with the frame, from its mount until it is unmounted. Other props are the `div`'s. */
export function ConnectFrame(props: ConnectFrameProps): ReactElement;

/** What `useCharge` gives. */
export interface UseCharge {
  /**
   * As `PosConnect.charge`, with the hook's options and `more`. If `create` fails, it rejects with that error: then
   * nothing is kept, and `print` is not called.
   */
  charge: (order: Order, more?: Partial<ChargeOptions>) => Promise<ChargeResult>;
  /** Whether a `charge` of this hook runs. Disable the button meanwhile. */
  isCharging: boolean;
}

/** Sells: call `charge` in an event handler. */
export function useCharge(options: ChargeOptions): UseCharge;

/** What `useOutbox` gives. */
export interface UseOutbox extends Pick<PosState, "waiting" | "refused">, Pick<Orders, "retry" | "discard"> {}

/** The orders that wait and those that were refused, in this page and in all tabs. */
export function useOutbox(): UseOutbox;

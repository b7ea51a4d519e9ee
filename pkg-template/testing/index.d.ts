/**
 * The client without a network, WebAssembly and a browser, for the tests of a till. Also everything that `pos-connect`
 * exports, so that a test runner can put this module in its place.
 */
import type {
  Connection,
  CreateOptions,
  EreceiptState,
  ErrorCode,
  HandedTokenSet,
  Operation,
  PosConnect,
  PosConnectError,
  PrintReason,
  TokenSet,
} from "../index.js";

export * from "../index.js";

/** What becomes of the calls, one after the other; the last one stays. A promise is waited for. */
export type Outcomes<Outcome> = Outcome | Promise<Outcome> | readonly (Outcome | Promise<Outcome>)[];

/**
 * What becomes of `connect()`, or of an integration. An object has members of the token set, in place of the default
 * ones; with an `accessToken`, the page gets the tokens. A code rejects: "closed" and "cancelled", too.
 */
export type ConnectOutcome = "finished" | Partial<TokenSet> | Partial<HandedTokenSet> | ErrorCode;

/** What the shopper chooses: a number in E.164, nothing, or why the receipt is printed. */
export type ReceiptOutcome = `+${string}` | "none" | PrintReason;

/**
 * What becomes of each try to send an order. A code refuses or postpones it as the real client does: "network" is
 * offline, "invalid_body" refuses it.
 */
export type OrderOutcome = "accepted" | { ereceipt: EreceiptState } | ErrorCode;

export interface FakeScript {
  /** Default: "finished". */
  connect?: Outcomes<ConnectOutcome> | undefined;
  /** Where e-receipts are on. Default: "chosen", which prints. */
  receipts?: Outcomes<ReceiptOutcome> | undefined;
  /** Default: "accepted". */
  orders?: Outcomes<OrderOutcome> | undefined;
}

export interface FakeOptions
  extends FakeScript,
    Pick<CreateOptions, "ereceipt" | "persistTokens" | "onOutbox" | "onConnected" | "onConnectionEnded"> {
  /** What is connected at the beginning; `{}` for an account with e-receipts. Default: nothing. */
  connection?: Partial<Connection> | null | undefined;
  /** When the fake's time begins. It stands still until `advance` moves it. Default: now. */
  clock?: Date | number | undefined;
}

export interface FakeCall {
  readonly operation: Operation | "destroy";
  /** As they were given. */
  readonly arguments: readonly unknown[];
}

/** What a test does with the fake. */
export interface FakeControls {
  /** Each call so far, oldest first. */
  readonly calls: FakeCall[];
  /** The fake's time. */
  readonly now: Date;
  /** Moves the time by milliseconds. Orders whose next try falls due are tried. */
  advance(ms: number): Promise<void>;
  /** Replaces what the script says of these calls. */
  script(script: FakeScript): void;
  /** The relay says that the connection is over: `onConnectionEnded` is called. */
  endConnection(): void;
  /** Another tab connects: `onConnected` is called. */
  connectElsewhere(connection?: Partial<Connection>): void;
}

export interface FakePosConnect extends PosConnect {
  readonly fake: FakeControls;
}

/**
 * Makes a client. `PosConnect.create` of this module gives the newest one, with the callbacks that it is given.
 *
 * ```js
 * const pos = fakePosConnect({ connect: ["closed", "finished"], receipts: "+972502345678", orders: "network" });
 * ```
 */
export function fakePosConnect(options?: FakeOptions): FakePosConnect;

/** An error as the client makes it: message and `retryable` belong to the code. `operation` is "connect" by default. */
export function posConnectError(
  code: ErrorCode,
  more?: Partial<
    Pick<PosConnectError, "message" | "operation" | "status" | "retryAfterMs" | "requestId" | "pointer" | "cause">
  >,
): PosConnectError;

/**
 * Connects a web point-of-sale to an advertiser account.
 *
 * Importing this module does nothing: no request, no DOM access, no WebAssembly. It is safe in Node, in workers and in tests.
 */

/** Where an integration stands. `finished` and `cancelled` never change again. */
export type Status = "pending" | "finished" | "cancelled";

/** The advertiser's account; present where the service sends it. */
export interface Account {
  readonly id: string;
  readonly name: string;
}

/** What was odd about an answer that was used all the same. */
export interface TokenFault {
  /** The member of the answer, e.g. `expiration`. */
  readonly field: string;
  /** What was wrong with it. Never its value. */
  readonly problem: "missing" | "wrong_type" | "unreadable";
}

interface TokenSetCommon {
  /** When the access token expires. Text if the service sent something that cannot be read as a date; null if it sent nothing. */
  readonly expiration: Date | string | null;
  /** Whether the till offers an e-receipt with every order. False unless the service said `true`. */
  readonly ereceipt: boolean;
  readonly account?: Account;
  /** Faults in the answer that did not keep the tokens from being used; empty as a rule. */
  readonly faults: readonly TokenFault[];
}

/** The tokens are in this page. */
export interface HandedTokenSet extends TokenSetCommon {
  readonly held: false;
  readonly accessToken: string;
  /** Empty if the service sent none (see `faults`). */
  readonly refreshToken: string;
}

/** Your relay keeps the tokens; the page never sees them. */
export interface HeldTokenSet extends TokenSetCommon {
  readonly held: true;
}

export type TokenSet = HandedTokenSet | HeldTokenSet;

export interface CreateOptions {
  /** Your relay, or the service itself. https, or loopback. No query, no fragment. */
  baseUrl: string;
  /** The page that the connect frame shows. https, or loopback. May carry a query of its own. */
  connectUrl: string;
  /** Your vendor identifier. */
  clientId: string;
  /** Only without a relay, and only on a page that nobody else can read. */
  clientSecret?: string;
  /** Says that a `clientSecret` on this page is meant; silences the console warning outside loopback. Default: false. */
  trustedPage?: boolean;
  /** Headers of every call, e.g. how this till proves itself to your relay: a plain object, or a function that is asked before each call (8 s), and once more after a 401. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
}

export interface CallOptions {
  /** Ends the wait with a `PosConnectError` of code `aborted` whose `cause` is the signal's reason. */
  signal?: AbortSignal;
}

export interface WaitOptions extends CallOptions {
  /** Called with each status that differs from the one before, the first included. What it throws is reported to the console and changes nothing. */
  onStatus?: (status: Status) => void;
}

/** Texts around the connect frame; each has an English default. */
export interface FrameLabels {
  /** The frame's accessible name and the dialog's heading. Default: "Connect your account". */
  title?: string;
  /** While the page loads. Default: "Loading…". */
  loading?: string;
  /** When nothing was heard from the page for 8 seconds. Default: "Nothing to see here? The page can be opened in a new window." */
  slow?: string;
  /** Default: "Open in a new window". */
  openWindow?: string;
  /** The dialog's close button. Default: "Close". */
  close?: string;
}

export interface FrameOptions {
  labels?: FrameLabels;
  /** The frame's `sandbox` tokens. Default: "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox". Null: no sandbox. */
  sandbox?: string | null;
  /** Called once, when the page that the frame shows has answered. A hint for your own spinner; it may never come. */
  onReady?: () => void;
}

/** Exactly one of these ends every frame. */
export type FrameEnd = "finished" | "cancelled" | "failed" | "closed";

export interface ConnectFrame {
  /** What was put into the page: a container's child, or the dialog. */
  readonly element: HTMLElement;
  /** Resolves once, when the frame is gone, with why; never rejects. */
  readonly ended: Promise<FrameEnd>;
  /** Takes everything out of the page: `ended` gives "closed". The integration goes on. Idempotent. */
  close(): void;
}

export interface Integration {
  /** Identifies this attempt. Anyone who has it and your client id can open the connect page: don't log it. */
  readonly integrationToken: string;
  /**
   * Shows the connect page inside `container` (an element or a selector), or, without one, in a modal dialog.
   * While a frame is mounted, a second call gives the same frame. Throws `invalid_option` (no such container), `unsupported_browser` (no DOM), `destroyed`, or, when the
   * integration has ended, `already_finished` or `integration_cancelled`.
   */
  mountFrame(container?: Element | string | null, options?: FrameOptions): ConnectFrame;
  /** Asks once. */
  status(options?: CallOptions): Promise<Status>;
  /**
   * Asks until the merchant has decided. Overlapping calls share one series of requests.
   * Rejects with `wait_timeout` when the integration's lifetime is over, and with `csp_blocked` when this page's own policy blocks the frame.
   */
  waitUntilDone(options?: WaitOptions): Promise<"finished" | "cancelled">;
  /**
   * Picks the token set up: one pick-up, ever. Overlapping calls share it, a repeat gives the same token set without a request.
   * Aborting stops the wait, never a pick-up on its way: call again to get its result.
   */
  fetchTokens(options?: CallOptions): Promise<TokenSet>;
  /** Tells the service that this integration is not wanted any more. Resolves also when it was cancelled already. */
  cancel(options?: CallOptions): Promise<void>;
  /** Ends every wait with `destroyed` and takes the frame out of the page; a pick-up on its way is still delivered. Idempotent, never throws. */
  destroy(): void;
}

export interface ConnectOptions extends WaitOptions, FrameOptions {
  /** Where the connect page goes (an element or a selector). Default: a modal dialog. */
  container?: Element | string | null;
}

/** Loads on first use; create one for each vendor account your page serves. */
export class PosConnect {
  private constructor();
  /** Loads the WebAssembly once, checks the options, sends nothing. Rejects with `invalid_option`, `unsupported_browser` or `load_failed`. */
  static create(options: CreateOptions): Promise<PosConnect>;
  /**
   * The whole flow: creates an integration, shows the connect page, waits, picks the token set up. Rejects with `cancelled` or `closed`
   * when the merchant ends it. While one runs, a second call joins it (its `signal` and `onStatus` count, the rest is the first call's).
   * `signal` counts until the merchant has consented: a pick-up is never given up. If one fails for now (`retryable`), the next call goes
   * on with it, without asking the merchant again.
   */
  connect(options?: ConnectOptions): Promise<TokenSet>;
  /** Creates an integration. */
  createIntegration(options?: CallOptions): Promise<Integration>;
  /** Destroys every integration of this object. Idempotent, never throws. */
  destroy(): void;
}

/** What the WebAssembly may be loaded from: its URL, a (promised) response, its bytes, or a compiled module. */
export type ModuleSource = string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/** Loads the WebAssembly ahead of time, or from a place of your own. Called again, it does nothing; after a failure it tries again. */
export function init(options?: { module?: ModuleSource }): Promise<void>;

export type ErrorCode =
  | "invalid_option"
  | "unsupported_browser"
  | "load_failed"
  | "aborted"
  | "destroyed"
  | "closed"
  | "cancelled"
  | "wait_timeout"
  | "timeout"
  | "network"
  | "headers_failed"
  | "protocol"
  | "csp_blocked"
  | "invalid_request"
  | "invalid_client"
  | "invalid_secret"
  | "invalid_integration"
  | "forbidden"
  | "origin_not_allowed"
  | "unauthorized"
  | "rate_limited"
  | "not_finished"
  | "already_finished"
  | "integration_cancelled"
  | "integration_expired"
  | "tokens_already_retrieved"
  | "tokens_lost"
  | "server_error"
  | "unexpected_status";

export type Operation = "init" | "create" | "createIntegration" | "mountFrame" | "status" | "waitUntilDone" | "fetchTokens" | "cancel" | "connect";

/** Every error of this package. It never holds a secret, a token, or a URL that carries one. */
export class PosConnectError extends Error {
  private constructor();
  readonly name: "PosConnectError";
  readonly code: ErrorCode;
  /** Whether the same call can work later without anything being changed. */
  readonly retryable: boolean;
  readonly operation: Operation;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** Milliseconds the service asked to wait before the next call. */
  readonly retryAfterMs?: number;
  /** The `X-Request-Id` of the answer: what the operator needs to find it. */
  readonly requestId?: string;
  /** What was thrown or given as reason, e.g. the abort signal's. */
  readonly cause?: unknown;
}

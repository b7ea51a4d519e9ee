/**
 * For the tests of a till: the client without a network, WebAssembly and a browser; the service as a `fetch`; page
 * objects for Playwright. Also everything that `pos-connect` exports, so that a test runner can put this module in its
 * place.
 *
 * @module pos-connect/testing
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

/** What the shopper chooses: a number in E.164, the code, nothing, or why the receipt is printed. */
export type ReceiptOutcome = `+${string}` | "qr" | "none" | PrintReason;

/**
 * What becomes of each try to send an order. A code refuses or postpones it as the real client does: "network" is
 * offline, "invalid_body" refuses it.
 */
export type OrderOutcome =
  | "accepted"
  | {
      /** Accepted, with this state of its e-receipt. */
      ereceipt: EreceiptState;
    }
  | ErrorCode;

/** What a fake client answers. */
export interface FakeScript {
  /** Default: "finished". */
  connect?: Outcomes<ConnectOutcome> | undefined;
  /** Where e-receipts are on. Default: "chosen", which prints. */
  receipts?: Outcomes<ReceiptOutcome> | undefined;
  /** Default: "accepted". */
  orders?: Outcomes<OrderOutcome> | undefined;
}

/** The options of `fakePosConnect`. */
export interface FakeOptions
  extends FakeScript,
    Pick<CreateOptions, "ereceipt" | "persistTokens" | "onOutbox" | "onConnected" | "onConnectionEnded"> {
  /** What is connected at the beginning; `{}` for an account with e-receipts. Default: nothing. */
  connection?: Partial<Connection> | null | undefined;
  /** When the fake's time begins. It stands still until `advance` moves it. Default: now. */
  clock?: Date | number | undefined;
}

/** One call of a fake client. */
export interface FakeCall {
  /** Which method was called. */
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
  /** Sets what happens next. */
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

/**
 * An error as the client makes it: message, `advice` and `retryable` belong to the code. `operation` is "connect" by
 * default.
 */
export function posConnectError(
  code: ErrorCode,
  more?: Partial<
    Pick<PosConnectError, "message" | "operation" | "status" | "retryAfterMs" | "requestId" | "pointer" | "cause">
  >,
): PosConnectError;

/** What becomes of an integration: "pending" waits for the merchant in the connect page, or for `decide`. */
export type IntegrationOutcome = "pending" | "cancelled" | ConnectOutcome;

/** What a fake service answers. */
export interface ServiceScript {
  /** Default: "finished". A promise is pending meanwhile; a code refuses the create call. */
  connect?: Outcomes<IntegrationOutcome> | undefined;
  /** Default: "accepted". */
  orders?: Outcomes<OrderOutcome> | undefined;
  /** By method and path, such as "GET /connection": what comes in the place of an answer. Default: "answered". */
  calls?: Record<string, Outcomes<"answered" | Response | ErrorCode>> | undefined;
}

/** The options of `fakeService`. */
export interface ServiceOptions extends ServiceScript {
  /** What is connected at the beginning; `{}` for an account with e-receipts. Default: nothing. */
  connection?: Partial<Connection> | null | undefined;
  /** Default: "https://relay.example". */
  baseUrl?: string | undefined;
  /** Default: a file of this module, in a page that has loaded it over HTTP; else `/connect` at the base URL. */
  connectUrl?: string | undefined;
  /** What the service gives to seal a number for. Default: none, so that orders have the number itself. */
  keys?: readonly object[] | undefined;
  /** What the link of a scanned receipt begins with; null: tills make none. Default: `/q/` at the base URL. */
  receiptUrl?: string | null | undefined;
  /** The `state` of another one: this service goes on from there. */
  state?: object | undefined;
}

/** One call that a fake service has got. */
export interface ServiceRequest {
  /** Such as `POST`. */
  readonly method: string;
  /** Such as `/v1/orders`. */
  readonly path: string;
  /** The last value of each name. */
  readonly query: Record<string, string>;
  /** By their names in lower case. */
  readonly headers: Record<string, string>;
  /** Parsed, if it is JSON. */
  readonly body: unknown;
}

/** What `fakeService` gives. */
export interface FakeService {
  /** For `PosConnect.create`; with `vault: "memory"`. */
  readonly options: CreateOptions;
  /** Answers the calls of the package and of the connect page. Any other call goes to the `fetch` that was there. */
  readonly fetch: typeof fetch;
  /** Each call of the package so far, oldest first. */
  readonly requests: ServiceRequest[];
  /** What the service knows, without any shopper's number; JSON can keep it. */
  readonly state: object;
  /** The HTML of the connect page, for a server of yours; `fetch` answers what it asks. */
  readonly connectPage: string;
  /** Replaces what the script says of these calls. */
  script(script: ServiceScript): void;
  /** What becomes of the integrations that are pending, once there are some. Default: "finished". */
  decide(end?: "finished" | "cancelled" | Partial<TokenSet> | Partial<HandedTokenSet>): void;
  /** The service does not take the tokens any more. */
  endConnection(): void;
  /** Handlers for MSW, whose `http` this takes. */
  handlers<Handler>(http: {
    all(path: string, resolver: (info: { request: Request }) => Promise<Response>): Handler;
  }): Handler[];
  /** Answers the calls of Playwright's pages, and the connect page; takes a page or a context. */
  route(page: {
    route(url: (url: URL) => boolean, handler: (route: any) => Promise<void>): Promise<unknown>;
  }): Promise<void>;
}

/**
 * Makes the service and the relay, for tests of the package itself.
 *
 * ```js
 * const service = fakeService({ connect: { ereceipt: true }, orders: ["network", "accepted"] });
 * globalThis.fetch = service.fetch;
 * const pos = await PosConnect.create(service.options);
 * ```
 */
export function fakeService(options?: ServiceOptions): FakeService;

/** Playwright's `Page` or `Frame`. */
export interface PlaywrightPage {
  /** As Playwright's. */
  locator(selector: string): unknown;
  /** As Playwright's. */
  waitForTimeout(ms: number): Promise<void>;
}

/** What a merchant does in the connect page, of the service or of `fakeService`. */
export interface ConnectPage {
  /** Waits until the page is this one. */
  shows(page: "sign-in" | "consent" | "finished" | "cancelled" | "error"): Promise<void>;
  /** Fills in the form of the sign-in, and sends it. */
  signIn(merchant: { email: string; password: string }): Promise<void>;
  /** Chooses a store by its name, the first by default, and agrees. */
  consent(choices?: { store?: string | undefined; ereceipts?: boolean | undefined }): Promise<void>;
  /** Ends the attempt. */
  cancel(): Promise<void>;
}

/** Takes the page whose frame shows the connect page, or the frame that is it: `popup.mainFrame()` of a window. */
export function connectPage(page: PlaywrightPage): ConnectPage;

/** What a shopper does at the keypad, at a hand's pace. */
export interface Keypad {
  /** Waits until it asks, and until it takes what is pressed. */
  shows(): Promise<void>;
  /** Types a number on the keyboard. */
  type(number: string): Promise<void>;
  /** Presses the keypad's own keys. */
  tap(number: string): Promise<void>;
  /** Chooses the e-receipt. */
  send(): Promise<void>;
  /** Shows the code, if it is offered. */
  scan(): Promise<void>;
  /** Takes the code away. */
  done(): Promise<void>;
  /** Chooses paper. */
  print(): Promise<void>;
  /** Chooses no receipt. */
  none(): Promise<void>;
}

/** The keypad in a page of Playwright's. */
export function keypad(page: PlaywrightPage): Keypad;

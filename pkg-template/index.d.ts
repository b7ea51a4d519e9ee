/**
 * Connects a web point-of-sale to an advertiser account.
 *
 * Importing this module does nothing: no request, no DOM access, no WebAssembly. It is safe in Node, in workers and in
 * tests.
 *
 * @module pos-connect
 */

/** What `pos-connect.iife.js` makes in a page without modules. */
export as namespace posConnect;

/** Where an integration stands. `finished` and `cancelled` never change again. */
export type Status = "pending" | "finished" | "cancelled";

/** The advertiser's account; present where the service sends it. */
export interface Account {
  /** The account's ID at the service. */
  readonly id: string;
  /** What the merchant calls it. */
  readonly name: string;
}

/** One store of the account; present where the service sends it. */
export interface Store {
  /** The store's ID at the service. */
  readonly id: string;
  /** What the merchant calls it. */
  readonly name: string;
}

/** What was odd about an answer that was used all the same. */
export interface TokenFault {
  /** The member of the answer, e.g. `expiration`. */
  readonly field: string;
  /** What was wrong with it. Never its value. */
  readonly problem: "missing" | "wrong_type" | "unreadable";
}

/** What every token set says. */
interface TokenSetCommon {
  /**
   * When the access token expires. Text if the service sent something that cannot be read as a date; null if it sent
   * nothing.
   */
  readonly expiration: Date | string | null;
  /** Whether the till offers an e-receipt with every order. False unless the service said `true`. */
  readonly ereceipt: boolean;
  /** The merchant's, if the service said so. */
  readonly account?: Account;
  /** The store that the merchant has connected. */
  readonly store?: Store;
  /** Faults in the answer that did not keep the tokens from being used; empty as a rule. */
  readonly faults: readonly TokenFault[];
}

/** The tokens are in this page. */
export interface HandedTokenSet extends TokenSetCommon {
  /** The tokens are not held by a server of yours. */
  readonly held: false;
  /** For the service's API, as a bearer token. */
  readonly accessToken: string;
  /** Empty if the service sent none (see `faults`). */
  readonly refreshToken: string;
}

/** Your relay keeps the tokens; the page never sees them. */
export interface HeldTokenSet extends TokenSetCommon {
  /** A server of yours holds the tokens. */
  readonly held: true;
}

/** What `connect` resolves with: the tokens, or that your relay or back end holds them. */
export type TokenSet = HandedTokenSet | HeldTokenSet;

/** The options of `PosConnect.create`. */
export interface CreateOptions {
  /**
   * Your relay, your back end, or the service itself; https or loopback; no query, no fragment, no `/v1` at the end.
   */
  baseUrl: string;
  /** The page that the frame shows; https or loopback; may carry a query of its own. */
  connectUrl: string;
  /** Your vendor identifier. */
  clientId: string;
  /**
   * Headers of every call: an object, or a function that is asked before each call (8 s), and once more after a 401.
   * They are how this till proves itself to your relay.
   */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /**
   * Your own name for the store, if one browser serves several stores in turn; never sent. What is kept for one
   * (connection record, tokens that wait for `persistTokens`, unfinished integrations) is not found by another.
   * Default: one store for each `baseUrl` and `clientId`.
   */
  storeId?: string | undefined;
  /**
   * Whether this store offers e-receipts: a boolean, or a function that is asked with each order (10 s). Default: the
   * connection record, else the relay.
   */
  ereceipt?: boolean | (() => boolean | Promise<boolean>) | undefined;
  /**
   * Receives the tokens until it resolves. Called with every token set that was picked up, 30 s an attempt, again after
   * 1, 2, 4, … 60 s until it resolves, also after a crash, when the next page calls `create`: the same set may come
   * twice. Once it has resolved, this browser has them no more. After `destroy()` no further attempt begins; the next
   * `create` goes on. Not called for sets that your relay holds. What it throws is reported to the console. Default:
   * you call `acknowledgeTokens()`.
   */
  persistTokens?: ((tokens: HandedTokenSet) => unknown) | undefined;
  /**
   * Gives the access token, if no relay adds it: a function that is asked before each call (8 s), and once more after a
   * 401. For the calls for a connected merchant (`orders.send` and the like), where the page calls the service itself.
   */
  accessToken?: (() => string | Promise<string>) | undefined;
  /**
   * Is told each change of an order in the outbox. An order that another page of this browser has queued or sent
   * counts, too. What it throws is reported to the console and changes nothing.
   */
  onOutbox?: ((change: OutboxChange) => void) | undefined;
  /**
   * Prints the receipt of a sale that an earlier page left while its shopper was asked. Called once for each sale that
   * was left by a reload, a crash or a closed tab. Its order is sent. What it throws is reported to the console and
   * changes nothing.
   */
  onInterrupted?: ((receipt: PrintedReceipt) => void) | undefined;
  /**
   * Gets the connection when another page of this browser has connected. Another object of this page counts, too. What
   * it throws is reported to the console and changes nothing.
   */
  onConnected?: ((connection: Connection) => void) | undefined;
  /**
   * Is called once when the relay says that the connection is over, or another page of this browser has ended it. The
   * merchant has to connect again. What it throws is reported to the console and changes nothing.
   */
  onConnectionEnded?: (() => void) | undefined;
  /**
   * Where what must survive a reload is kept; `"memory"` belongs to this object, and does not survive one. "indexeddb"
   * is encrypted with a key that never leaves this browser, and needs https or loopback. Default: "indexeddb".
   */
  vault?: "indexeddb" | "memory" | undefined;
  /**
   * Whether the browser is asked to keep its storage once an order waits. That is `navigator.storage.persist()`.
   * Firefox asks its user; the others decide by themselves. Default: true.
   */
  persistStorage?: boolean | undefined;
  /** The vendor's secret; only without a relay, on a page that nobody else can open. */
  clientSecret?: string | undefined;
  /** Says that `clientSecret` in this page is meant, and silences the warning outside loopback. Default: false. */
  trustedPage?: boolean | undefined;
}

/** What is known about the connection once its tokens were picked up. Holds no secret. */
export interface Connection {
  /** The merchant's, if the service said so. */
  readonly account?: Account;
  /** The store that the merchant has connected. */
  readonly store?: Store;
  /** Whether the till offers an e-receipt with every order. */
  readonly ereceipt: boolean;
  /** When the access token expires, or expired: as in `TokenSet`. */
  readonly expiration: Date | string | null;
}

/** The options of a call to the service. */
export interface CallOptions {
  /** Ends the wait, with a `PosConnectError` of code `aborted`. Its `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The options of a wait for the merchant. */
export interface WaitOptions extends CallOptions {
  /**
   * Called with each status that differs from the one before. The first one counts, too. What it throws is reported to
   * the console and changes nothing.
   */
  onStatus?: ((status: Status) => void) | undefined;
}

/** Texts around the connect frame, in place of those of its `locale`. The English ones are given here. */
export interface FrameLabels {
  /** The accessible name of the frame and of its dialog: "Connect your account". */
  title?: string | undefined;
  /** Spoken while the page loads: "Loading…". */
  loading?: string | undefined;
  /** When nothing was heard from the page for 8 seconds: "Taking longer than usual". */
  slow?: string | undefined;
  /** The same while there is no network: "No connection. We go on as soon as it is back." */
  offline?: string | undefined;
  /** Loads the page again: "Try again". */
  retry?: string | undefined;
  /** "Open in a new window". */
  openWindow?: string | undefined;
  /** In the frame's place, while the merchant is in that window: "Finish in the other window". */
  elsewhere?: string | undefined;
  /** Brings the window to the front: "Show the window". */
  showWindow?: string | undefined;
  /** Shows the page's link and QR code in the frame's place: "Continue on your phone". */
  phone?: string | undefined;
  /** Shows the frame again: "Continue here". */
  here?: string | undefined;
  /** Once the page was opened elsewhere; the four digits stand for the "#": "Check that your phone shows #". */
  code?: string | undefined;
  /** The same for a window: "Check that the other window shows #". Without it, a `code` of your own. */
  codeWindow?: string | undefined;
  /** Above the QR code: "Scan this with your phone, or open the link there." */
  scan?: string | undefined;
  /** The QR code's accessible name: "QR code of the link". */
  qr?: string | undefined;
  /** Puts the link into the clipboard, where the page may: "Copy the link". */
  copy?: string | undefined;
  /** After that: "Copied". */
  copied?: string | undefined;
  /** Below the QR code: "Waiting for your phone…" */
  waiting?: string | undefined;
  /** In its place, once the service says that the page was opened there: "Opened on your phone. Finish there." */
  opened?: string | undefined;
  /** The dialog's close button: "Close". */
  close?: string | undefined;
  /** In the frame's place for a moment, above the names of store and account: "Connected". */
  done?: string | undefined;
  /** Below them: "E-receipts on". */
  ereceiptsOn?: string | undefined;
  /** The same, if they are off: "E-receipts off". */
  ereceiptsOff?: string | undefined;
}

/** The options of the frame with the connect page. */
export interface FrameOptions {
  /** Called once, when the page in the frame has answered; it may never come. A hint for your own spinner. */
  onReady?: (() => void) | undefined;
  /** Texts around the frame, see `FrameLabels` in `index.d.ts`. Default: those of `locale`. */
  labels?: FrameLabels | undefined;
  /**
   * The language around the frame (`en`, `he`, `ar`, `es`) and of the connect page. The connect page may know others.
   * `connectUrl` wins if it has a `lang` of its own. Default: `<html lang>`, else the browser's.
   */
  locale?: string | undefined;
  /**
   * The colors of the dialog and of the connect page. `connectUrl` wins if it has a `theme` of its own. Default: the
   * page's `color-scheme`, if it is one of them alone.
   */
  theme?: "light" | "dark" | undefined;
  /**
   * The frame's `sandbox` tokens; `null` for no sandbox. Default: "allow-scripts allow-forms allow-same-origin
   * allow-popups allow-popups-to-escape-sandbox".
   */
  sandbox?: string | null | undefined;
}

/**
 * Exactly one of these ends every frame. "closed": by the user, by your code, or because the page has taken it out of
 * the document for more than a moment.
 */
export type FrameEnd = "finished" | "cancelled" | "failed" | "closed";

/** A frame with the connect page. */
export interface ConnectFrame {
  /** What was put into the page: a container's child, or the dialog. */
  readonly element: HTMLElement;
  /** Resolves once, when the frame is gone, with why; never rejects. */
  readonly ended: Promise<FrameEnd>;
  /** Takes everything out of the page: `ended` gives "closed". The integration goes on. Idempotent. */
  close(): void;
}

/** One attempt to connect. */
export interface Integration {
  /** Identifies this attempt. Anyone who has it and your client id can open the connect page: don't log it. */
  readonly integrationToken: string;
  /**
   * Four digits that the connect page shows, too, when it is not in this page's frame: say them to whoever opens it
   * elsewhere. Undefined if the service sends none.
   */
  readonly code?: string;
  /**
   * Shows the connect page inside `container` (an element or a selector), or, without one, in a modal dialog. While a
   * frame is mounted, a second call gives the same frame, and moves it if it is inline and `container` is another one:
   * the page in it loads anew. A page has one dialog at a time: a new one closes that of another integration. Throws
   * `invalid_option` (no such container, or one that is not in the document), `unsupported_browser` (no DOM),
   * `destroyed`, or, when the integration has ended, `already_finished` or `integration_cancelled`.
   */
  mountFrame(container?: Element | string | null, options?: FrameOptions): ConnectFrame;
  /** Asks once. */
  status(options?: CallOptions): Promise<Status>;
  /**
   * Asks until the merchant has decided. Overlapping calls share one series of requests. Rejects with `wait_timeout`
   * when the integration's lifetime is over, and with `csp_blocked` when this page's own policy blocks the frame.
   */
  waitUntilDone(options?: WaitOptions): Promise<"finished" | "cancelled">;
  /**
   * Picks the token set up: one pick-up, ever, in all pages of this browser. Overlapping calls share it. Until the
   * hand-over is confirmed (`persistTokens`, `acknowledgeTokens`), a repeat gives the same token set without a request,
   * after that it rejects with `tokens_already_retrieved` (an object that has given the set out before another page's
   * hand-over may repeat it). Aborting stops the wait, never a pick-up on its way: call again to get its result.
   * Rejects with `vault_failed`, before any request, where it could not be kept, and after two and a half minutes of
   * waiting for another page that has it in hand.
   */
  fetchTokens(options?: CallOptions): Promise<TokenSet>;
  /**
   * Says that you have the tokens: they are erased here, and at a relay that hands them out. Without tokens it does
   * nothing.
   */
  acknowledgeTokens(options?: CallOptions): Promise<void>;
  /** Tells the service that this integration is not wanted any more. Resolves also when it was cancelled already. */
  cancel(options?: CallOptions): Promise<void>;
  /**
   * Ends every wait with `destroyed` and takes the frame out of the page; a pick-up on its way is still delivered.
   * Idempotent, never throws.
   */
  destroy(): void;
}

/** A store's profile: what its shoppers see. Every member may be absent. */
export interface StoreProfile {
  /** 1 to 120 characters. */
  name?: string | undefined;
  /** Where it is. */
  address?: StoreAddress | undefined;
  /** Its public number, in any way of writing it: 3 to 40 of the characters `0-9 + ( ) - . /` and the space. */
  phone?: string | undefined;
  /** An http or https URL of up to 2,000 characters. */
  website?: string | undefined;
  /** Up to 50 spans. */
  openingHours?: OpeningHours[] | undefined;
}

/** Each member may be absent, and has 1 to 120 characters. */
export interface StoreAddress {
  /** With the number of the house. */
  street?: string | undefined;
  /** City, town or village. */
  city?: string | undefined;
  /** State, province or district. */
  region?: string | undefined;
  /** ZIP code or postcode. */
  postalCode?: string | undefined;
  /** ISO 3166-1 alpha-2, e.g. "IL". */
  country?: string | undefined;
}

/** A day of `OpeningHours`. */
export type Weekday = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";

/** When a store is open on some days of the week. */
export interface OpeningHours {
  /** 1 to 7, none twice. */
  days: Weekday[];
  /** "HH:MM", 00:00 to 23:59. */
  opens: string;
  /** "HH:MM", 00:01 to 24:00. Earlier than `opens` is on the next day. */
  closes: string;
}

/** A merge patch (RFC 7396): a member that is absent stays, `null` removes it. A list is replaced as a whole. */
export type StoreProfilePatch = {
  [Member in keyof StoreProfile]?:
    | (Member extends "address" ? { [Part in keyof StoreAddress]?: StoreAddress[Part] | null } : StoreProfile[Member])
    | null
    | undefined;
};

/** The store's profile, as the service has it. */
export interface StoreProfileResult {
  /** The store that the merchant chose. */
  store: Store;
  /** What its shoppers see. */
  profile: StoreProfile;
  /** The texts of a patch that were changed so that the service takes them, as JSON pointers: "/address/street". */
  readonly cleaned?: readonly string[];
}

/** A customer to be kept, or to be deleted. What is kept under the same `externalId` is replaced. */
export type CustomerChange =
  | {
      /** Your own ID: 1 to 200 characters. */
      externalId: string;
      /** Absent or `false`: it is kept. */
      deleted?: false | undefined;
      /** 1 to 200 characters. `null`, here and below, is the same as none. */
      name?: string | null | undefined;
      /** E.164, e.g. "+972502345678". */
      phone?: string | null | undefined;
      /** At most 254 characters. */
      email?: string | null | undefined;
    }
  | {
      /** Whom to delete. */
      externalId: string;
      /** No customer is left under this ID. */
      deleted: true;
    };

/** What became of one item of `sendCustomers`. */
export interface CustomerResult {
  /** Absent if the item had none that could be read. */
  externalId?: string;
  /** "not_found": nobody was there to delete. "refused": `code` says why. */
  result: "created" | "updated" | "deleted" | "not_found" | "refused";
  /** Why it was refused: the service's own word. */
  code?: string;
  /** The member that was wrong, as a JSON pointer: "/customers/3/phone". */
  pointer?: string;
  /** What that member must be: "an email address". */
  rule?: string;
  /** The texts that were changed so that the service takes them, as JSON pointers in this item: "/name". */
  readonly cleaned?: readonly string[];
}

/** Amounts are integers in the currency's minor unit, such as cents: up to `Number.MAX_SAFE_INTEGER`. */
export interface Order {
  /** Your own ID: 1 to 200 characters, unique for the till, or for the store if nothing tells its tills apart. */
  externalId: string;
  /** What the shop calls the order, such as "1041": up to 40 characters. The receipt shows it, not `externalId`. */
  displayNumber?: string | undefined;
  /** The `externalId` of the order that this one refunds. The service need not know that order. */
  refundOf?: string | undefined;
  /**
   * When it was made: a `Date`, which is sent with this browser's offset, or RFC 3339 with the store's. The receipt
   * shows the time of that offset.
   */
  time: Date | string;
  /** ISO 4217, e.g. "ILS". */
  currency: string;
  /** What was paid. Negative for a refund. */
  total: number;
  /** The tax in it. */
  tax?: number | undefined;
  /** How it was paid: "cash", "card", or up to 40 characters of yours, such as "Visa 4242". Never a card's number. */
  payment?: string | undefined;
  /** 1 to 500. */
  lines: readonly OrderLine[];
  /** Whose order it is. */
  customer?:
    | {
        /** The ID in your customers list. */
        externalId: string;
      }
    | undefined;
  /** Where the receipt goes, if you asked for the number yourself. Else give `receipt` to `orders.send`. */
  ereceipt?: OrderEreceipt | undefined;
}

/** One line of an order. */
export interface OrderLine {
  /** 1 to 200 characters. Line breaks become spaces, a longer one is cut, an empty one is "-": see `cleaned`. */
  name: string;
  /** Up to three decimals, such as 0.355, and below 1,000,000,000. Negative for what is returned. */
  quantity: number;
  /** What the quantity counts, such as "kg": 1 to 20 characters. None for pieces. */
  unit?: string | undefined;
  /** The price of one, or of one `unit`. */
  unitPrice?: number | undefined;
  /** The price of the line, rounded as you do. Negative for a discount, and for what is returned. */
  amount: number;
}

/** Where the e-receipt of an order goes. */
export type OrderEreceipt = OrderMessage | OrderLink;

/** A receipt behind a link that you have made yourself. */
export interface OrderLink {
  /** SHA-256 of the last part of the link, in base64url without padding. */
  linkHash: string;
  /** The language of the receipt: "en", "he", "ar" or "es". */
  locale?: string | undefined;
}

/** A receipt by text message. */
export interface OrderMessage {
  /** A mobile number in E.164. */
  phone: string;
  /** What the shopper agreed to. */
  consent: {
    /** Names the text that the shopper agreed to: 1 to 200 characters. */
    id: string;
    /** What it says: at most 2000 characters. */
    text?: string | undefined;
    /** The language of the receipt: "en", "he", "ar" or "es". */
    locale?: string | undefined;
    /** When the shopper agreed; a text is RFC 3339. */
    at?: Date | string | undefined;
  };
}

/** The options of `sendOrder`. */
export interface SendOrderOptions extends CallOptions {
  /**
   * What `receiptFor`, `onSend` or `onScan` gave for this order: its number and consent, or the hash of the link that
   * the shopper scans, go with the order.
   */
  receipt?: ReceiptResult | Receipt | ScannedReceipt | undefined;
  /**
   * Whether an order whose e-receipt is queued is printed as well: nobody knows when the message will arrive. Default:
   * true.
   */
  printIfQueued?: boolean | undefined;
}

/** The options of `charge`. */
export interface ChargeOptions
  extends Omit<ReceiptOptions, "orderId" | "onSend" | "onScan">,
    Pick<SendOrderOptions, "printIfQueued"> {
  /**
   * Prints the receipt. Called at most once, as soon as paper is the outcome. What it throws is reported to the console
   * and changes nothing.
   */
  print: (receipt: PrintedReceipt) => void;
  /** Offers "QR code" as well: the receipt as a QR code, without a number and without paper. Default: false. */
  allowScan?: boolean | undefined;
}

/** What is to be printed. */
export interface PrintedReceipt {
  /** Your own ID of the order. */
  readonly externalId: string;
  /** What was sold. */
  readonly order: KeptOrder;
  /**
   * Why there is paper: as `receiptFor` says it; "queued": nobody knows when the message will arrive; "interrupted":
   * the page went while its shopper was asked.
   */
  readonly reason: PrintReason | "queued" | "interrupted";
}

/** What became of a sale. `print`: whether the receipt was printed. */
export type ChargeResult = SentOrder & {
  /** What the shopper chose. */
  readonly receipt: ReceiptResult;
};

/** The options of a refused order's `retry`. */
export interface RetryOrderOptions {
  /**
   * The order as it should have been. Only for a refused one: another may have arrived as it is. Default: as it was.
   */
  order?: Order | undefined;
}

/** The options of `sendCustomers`. */
export interface SendCustomersOptions extends CallOptions {
  /** Makes a repeated call the same call: 1 to 64 visible ASCII characters. Default: a new one. */
  idempotencyKey?: string | undefined;
}

/**
 * How far an e-receipt is. "queued": the message waits to be sent; "sent", or the link opens it; "failed": it could not
 * be sent; "refused": the service took the order without it.
 */
export type EreceiptState = "queued" | "sent" | "failed" | "refused";

/** The service has the order. */
export interface AcceptedOrder {
  /** Tells it from a queued one. */
  readonly state: "accepted";
  /** Its ID in the outbox, which it has left. */
  readonly id: string;
  /** Your own ID of the order. */
  readonly externalId: string;
  /** Whether to print the receipt. */
  readonly print: boolean;
  /** When the service got it, if it said so. */
  readonly receivedAt?: Date;
  /** Present if the order asked for one. */
  readonly ereceipt?: EreceiptState;
  /** With `ereceipt` "refused": why. */
  readonly error?: PosConnectError;
  /** The texts that were changed so that the service takes them, as JSON pointers: "/lines/0/name". */
  readonly cleaned?: readonly string[];
}

/** The order is kept in this browser, and will be sent. */
export interface QueuedOrder {
  /** Tells it from an accepted one. */
  readonly state: "queued";
  /** Its ID in the outbox. */
  readonly id: string;
  /** Your own ID of the order. */
  readonly externalId: string;
  /** Whether to print the receipt. */
  readonly print: boolean;
  /** Why the last try failed; absent if none has ended yet. */
  readonly error?: PosConnectError;
  /** The texts that were changed so that the service takes them, as JSON pointers: "/lines/0/name". */
  readonly cleaned?: readonly string[];
}

/** What became of an order that was sent. */
export type SentOrder = AcceptedOrder | QueuedOrder;

/** An order as it was sent, without where its receipt goes. */
export type KeptOrder = Omit<Order, "time" | "ereceipt"> & {
  /** As RFC 3339 has it. */
  time: string;
};

/** What the service has of an order. */
export interface OrderRecord {
  /** As it was sent, without the phone number. */
  readonly order: KeptOrder & {
    /** Where the receipt went. */
    ereceipt?: Omit<OrderMessage, "phone"> | OrderLink;
  };
  /** When the service got it; null if it did not say so. */
  readonly receivedAt: Date | null;
  /** Present if the order asked for one. */
  readonly ereceipt?: EreceiptState;
}

/** An order in the outbox. */
export interface OutboxOrder {
  /**
   * "queued": it will be sent; "refused": the service does not take it, and `error` says why. `vault_failed`: the
   * browser cannot read it.
   */
  readonly state: "queued" | "refused";
  /** For `orders.retry` and `orders.discard`. */
  readonly id: string;
  /** Your own ID of the order. */
  readonly externalId: string;
  /** When it was kept; null if the browser cannot read it. */
  readonly queuedAt: Date | null;
  /** When it is tried again; null: as soon as it is its turn. */
  readonly nextTry: Date | null;
  /** How often it was tried. */
  readonly tries: number;
  /** Whether the shopper is to get an e-receipt. */
  readonly hasEreceipt: boolean;
  /** Whether the browser has promised to keep its storage when the disk is full. */
  readonly persisted: boolean;
  /** Without the phone number; null if the storage has lost it. */
  readonly order: KeptOrder | null;
  /** Why the last try failed. */
  readonly error?: PosConnectError;
}

/** What became of an order in the outbox. "postponed": a try failed, and there will be another one. */
export interface OutboxChange {
  /** What has just happened. */
  readonly state: "queued" | "postponed" | "accepted" | "refused" | "discarded";
  /** Its ID in the outbox. */
  readonly id: string;
  /** Your own ID of the order. */
  readonly externalId: string;
  /** When the service got an accepted order, if it said so. */
  readonly receivedAt?: Date;
  /** What comes of the e-receipt, if an accepted order asked for one. */
  readonly ereceipt?: EreceiptState;
  /** Why the try failed; of an accepted order with `ereceipt` "refused": why. */
  readonly error?: PosConnectError;
}

/** The options of `connect`. */
export interface ConnectOptions extends WaitOptions, FrameOptions {
  /**
   * An element or a selector for the frame; `null` is the default, so look whether your ref has its element. Default: a
   * modal dialog.
   */
  container?: Element | string | null | undefined;
  /**
   * For so many seconds the merchant sees who is connected: 0 to 10. The frame's place names store and account. It
   * takes no focus, a click or Escape closes it, and nothing waits for it: the promise resolves at its beginning. It
   * ends with the next `connect()` and with `destroy()`. Default: 1.5.
   */
  doneSeconds?: number | undefined;
}

/** Loads on first use; create one for each vendor account your page serves. */
export class PosConnect {
  private constructor();
  /**
   * Loads the WebAssembly once, checks the options, sends nothing but orders that an earlier page has left in the
   * outbox. Rejects with `invalid_option`, `unsupported_browser`, `insecure_context` or `load_failed`.
   */
  static create(options: CreateOptions): Promise<PosConnect>;
  /**
   * The whole flow: creates an integration, shows the connect page, waits, picks the token set up. Rejects with
   * `cancelled` or `closed` when the merchant ends it. While one runs, a second call joins it (its `signal` and
   * `onStatus` count, its `container` moves an inline frame, the rest is the first call's). After the frame was closed,
   * a call starts anew at once, even while the last status call is on its way. `signal` counts until the merchant has
   * consented: a pick-up is never given up. If one fails for now (`retryable`), the next call goes on with it, without
   * asking the merchant again. After `closed`, `aborted` or a reload, it goes on with the same integration as long as
   * that lives: the merchant may have gone on in a window or on the phone. Tokens that are here already do not stand in
   * for a new consent: `resume()` gives them. Like every call, it rejects with `invalid_option` what is no option.
   */
  connect(options?: ConnectOptions): Promise<TokenSet>;
  /** Creates an integration. Rejects with `vault_failed` where it cannot be kept. */
  createIntegration(options?: CallOptions): Promise<Integration>;
  /**
   * What an earlier page of this browser (a reload, a crash, another tab) left: an integration whose tokens were picked
   * up but not handed over, else one whose pick-up was on its way, else one that nobody has ended (what this object
   * created before the newest), else one whose loss that page could not tell you; null if there is none. It may be open
   * in another tab. Sends nothing, but hands over what waits for `persistTokens`: go on with `fetchTokens()` or
   * `waitUntilDone()`.
   */
  resume(options?: CallOptions): Promise<Integration | null>;
  /**
   * What is known about the connection; null if there is none. It is kept in this browser. With a relay, the relay is
   * asked as well: on a till that knows nothing yet, and when 15 seconds have passed. If the relay does not answer, the
   * record of this browser counts; without one, it rejects.
   */
  connection(): Promise<Connection | null>;
  /**
   * Ends the connection for the merchant, on every till: at the relay, or, without one, at the service (`accessToken`
   * and `clientSecret`). Then it erases what this browser knows of it, as `forget` does; orders that wait stay, and are
   * sent when the merchant is connected again. A connection that has ended already is no error. Rejects with
   * `tokens_handed_out` if the relay has given the tokens to a till: then your back end revokes them.
   */
  disconnect(options?: CallOptions): Promise<void>;
  /**
   * Ends the connection in this browser: erases its record, and whatever is kept for this `baseUrl`, `clientId` and
   * `storeId`, tokens that were not handed over and orders that wait included. Waits for a pick-up or an order that is
   * on its way, and tells `onOutbox` each order that it erases as "discarded". Revokes nothing.
   */
  forget(): Promise<void>;
  /**
   * Asks the shopper of one order for a mobile number, where e-receipts are enabled, and says whether the receipt is to
   * be printed. Settles exactly once; while it asks, a second call settles the first as "print", "replaced". Rejects
   * only for a wrong option, with `invalid_option`: whatever else happens, `print` says what to do. A reload ends the
   * ask as "print", "page_hidden" while the page goes: print then when the till is back.
   */
  receiptFor(options: ReceiptOptions): Promise<ReceiptResult>;
  /**
   * Sells: keeps a paid order in this browser, asks the shopper where e-receipts are enabled, sends the order, and
   * calls `print` if paper is the outcome, also before a rejection. If the page goes meanwhile, another one sends the
   * order and tells `onInterrupted`. The same order again, while it is charged, is the same call. Resolves as
   * `orders.send` does. Rejects with `invalid_option`, or `destroyed` after `destroy()`, before anything is kept or
   * printed: print yourself then. Rejects otherwise as `orders.send` does, after the receipt.
   */
  charge(order: Order, options: ChargeOptions): Promise<ChargeResult>;
  /**
   * What a page shows: the same object until something of it changes. It begins as "loading", and is read for the first
   * time when `state` or `subscribe` is first used.
   */
  readonly state: PosState;
  /**
   * Calls the listener after each change of `state`, in this page or in another tab. Asks again once a minute, and when
   * the page comes online or becomes visible. Gives a function that ends it. `this` is not needed.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** The orders of the connected merchant: what is sent, and what waits to be sent. */
  readonly orders: Orders;
  /** The profile of the connected merchant's store. */
  readonly store: StoreProfiles;
  /** The customers of the connected merchant. */
  readonly customers: Customers;
  /** Destroys every integration of this object, and ends its ask as "print", "aborted". Idempotent, never throws. */
  destroy(): void;
}

/** What a page shows of a client. */
export interface PosState {
  /** "unreachable": nobody could say whether there is a connection; `error` says why. */
  readonly status: "loading" | "unreachable" | "disconnected" | "connected";
  /** The connection; null if there is none, or nobody could say. */
  readonly connection: Connection | null;
  /** Whether there was a connection in this page that is over. */
  readonly hasEnded: boolean;
  /** Whether a `connect()` of this object runs. */
  readonly isConnecting: boolean;
  /** The orders that will be sent. */
  readonly waiting: readonly OutboxOrder[];
  /** The orders that the service does not take. */
  readonly refused: readonly OutboxOrder[];
  /** Why the status is "unreachable". */
  readonly error?: PosConnectError | undefined;
}

/** `pos.orders` */
export interface Orders {
  /**
   * Sends an order. It is kept in this browser first, encrypted, and survives reloads and crashes: one page at a time
   * sends what waits, in order, again and again until the service has answered, each order under one idempotency key.
   * Resolves when the service has accepted it; or as "queued" when nobody should wait any longer: after 3 s, when one
   * try has failed offline or two have failed online, or when `signal` aborts. `print` says what to do with the paper.
   * An order whose e-receipt the service refuses is sent without it. Rejects with `invalid_option` (`pointer` names the
   * member), `vault_failed` or `outbox_full`: then nothing was kept, and nothing sent. Rejects with `invalid_body`,
   * `too_large`, `order_exists` or `idempotency_key_reused` when the service refuses it: then it stays in the outbox
   * until `orders.retry` or `orders.discard`. At most 10,000 orders or 32 MiB wait, and 1,000 refused ones.
   */
  send(order: Order, options?: SendOrderOptions): Promise<SentOrder>;
  /** An order that the service has; null if it has none of this ID. */
  get(externalId: string, options?: CallOptions): Promise<OrderRecord | null>;
  /** What waits to be sent, in order, and after that what was refused. */
  list(): Promise<OutboxOrder[]>;
  /**
   * Sends an order of the outbox now: a refused one once more, one that waits without further rest. False if there is
   * none of this ID, or if it cannot be read. With `order`, a refused one is sent in that content instead, at its
   * place; it keeps its e-receipt.
   */
  retry(id: string, options?: RetryOrderOptions): Promise<boolean>;
  /**
   * Erases an order from the outbox: it is not sent any more. Waits for a try that is on its way, for up to 12 s.
   * False if there is none of this ID.
   */
  discard(id: string): Promise<boolean>;
}

/** `pos.store` */
export interface StoreProfiles {
  /** Changes the profile of the merchant's store. Of a wrong member, `invalid_body` has the `pointer`. */
  update(patch: StoreProfilePatch, options?: CallOptions): Promise<StoreProfileResult>;
  /** The profile of the merchant's store. */
  get(options?: CallOptions): Promise<StoreProfileResult>;
}

/** `pos.customers` */
export interface Customers {
  /**
   * Adds, replaces and deletes 1 to 1,000 customers. Gives a result for each, in their order; a refused one costs the
   * others nothing.
   */
  send(customers: readonly CustomerChange[], options?: SendCustomersOptions): Promise<CustomerResult[]>;
}

/** Texts of the keypad. `#` stands for a number. The English ones: */
export interface ReceiptLabels {
  /** "Receipt by text message" */
  title: string;
  /** "Enter your mobile number" */
  hint: string;
  /** "Mobile number" */
  number: string;
  /** "Digits" */
  keys: string;
  /** "Delete" */
  delete: string;
  /** "Clear" */
  clear: string;
  /** "Send e-receipt" */
  send: string;
  /** "Print receipt" */
  print: string;
  /** "No receipt" */
  none: string;
  /** "Did you mean #?" */
  suggestion: string;
  /** "Enter your mobile number, or choose Print receipt." */
  empty: string;
  /** "The number is too short. Enter the rest of it." */
  incomplete: string;
  /** "This is not a mobile number. Correct it, or choose Print receipt." */
  notMobile: string;
  /** "Too many digits. Delete the extra ones." */
  tooLong: string;
  /** "There is no mobile number in what you pasted." */
  unread: string;
  /** What a screen reader says; the number with its country is what is seen. "Ready to send" */
  valid: string;
  /** "Sending…" */
  sending: string;
  /** After the end, with `onSend`: "Sent to #" */
  sent: string;
  /** After the end, without `onSend`, or if the order is `queued`: "We'll text your receipt to #" */
  accepted: string;
  /** "Couldn't send. Printing your receipt" */
  sendFailed: string;
  /** On the send button then: "Try again" */
  retry: string;
  /** After the end, on paper: "Printing" */
  printing: string;
  /** "Still there? Tap to continue, or we'll print in # s" */
  idle: string;
  /** Where `noAnswer` is "none": "Still there? Tap to continue, or this closes in # s" */
  idleNone: string;
  /** "# digits" */
  count: string;
  /** "QR code" */
  scan: string;
  /** Above the code, and its accessible name: "Scan this code with your phone" */
  scanHint: string;
  /** Below the code: "Done" */
  done: string;
  /** "Your number is used for this receipt only." */
  consent: string;
  /**
   * What these texts are written in (BCP 47, such as "fr-CA"): `lang` of the keypad, `consent.locale`, and the names of
   * countries. Default: the keypad's own language.
   */
  lang?: string | undefined;
  /** Which way they are written. Default: as `lang` is. */
  dir?: "ltr" | "rtl" | undefined;
}

/** A valid number that the shopper chose, and what was agreed to. */
export interface Receipt {
  /** The order that the shopper was asked about. */
  readonly orderId: string;
  /** E.164, e.g. "+972502345678". */
  readonly phone: string;
  /** As it is written in its country, e.g. "050-234-5678". */
  readonly national: string;
  /** Where the number belongs to: ISO 3166-1 alpha-2. */
  readonly region: string;
  /** What kind of line it may be. */
  readonly kind: PhoneKind;
  /** What the shopper agreed to. */
  readonly consent: ReceiptConsent;
  /** See `phoneMetadataVersion`. */
  readonly metadataVersion: string;
}

/** What the shopper agreed to. */
export interface ReceiptConsent {
  /** `consentId`. */
  readonly id: string;
  /** The language that the keypad showed: "en", "he", "ar", "es", or `labels.lang`. */
  readonly locale: string;
  /** The text that stood beside the button. */
  readonly text: string;
  /** When the button was pressed. */
  readonly at: Date;
}

/** A receipt behind a code that the shopper scans. The link itself is in the code alone. */
export interface ScannedReceipt {
  /** Tells it from a receipt by text message. */
  readonly kind: "qr";
  /** The order that the shopper was asked about. */
  readonly orderId: string;
  /** SHA-256 of the last part of the link, in base64url: `ereceipt.linkHash` of the order. */
  readonly linkHash: string;
  /** The language that the keypad showed, and of the receipt. */
  readonly locale: string;
}

/** What `onSend` and `onScan` are told about the attempt. */
export interface SendAttempt {
  /** Aborted as soon as the result is not wanted any more. What was received before that stays received. */
  readonly signal: AbortSignal;
  /** The same in every attempt of one ask, and in no other ask: for your server's `Idempotency-Key`. */
  readonly idempotencyKey: string;
  /** 1, then 2. */
  readonly attempt: number;
}

/** The options of `receiptFor`. */
export interface ReceiptOptions {
  /** Whose receipt it is: 1 to 200 characters. Comes back in the result. */
  orderId: string;
  /** Whose national numbers are read: ISO 3166-1 alpha-2, such as `"IL"`. Other countries' begin with `+`. */
  region: string;
  /** An element or a selector for the keypad. Default: a modal dialog. */
  container?: Element | string | null | undefined;
  /**
   * Whether to ask at all: a boolean, or a function that is asked (10 s). What is not known, fails, or takes longer is
   * no: print, with the error as `cause`. Default: what `create` was told, else the connection record.
   */
  ereceipt?: boolean | (() => boolean | Promise<boolean>) | undefined;
  /**
   * Called when the shopper sends; the print is cancelled only when it resolves. If it throws, rejects or takes longer
   * than 10 s, the result is "print", "send_failed". What `orders.send` gave may be its result: of an order that is
   * `queued` the shopper reads that the message comes later. Default: the print is cancelled at once.
   */
  onSend?: ((receipt: Receipt, attempt: SendAttempt) => unknown) | undefined;
  /**
   * Offers "QR code" as well, and is called when the code is shown: its `linkHash` goes with the order. Who scans the
   * code opens the receipt, as soon as the service has the order. As with `onSend`, there is paper if it throws,
   * rejects or takes longer than 10 s. Default: there is no such button.
   */
  onScan?: ((scan: ScannedReceipt, attempt: SendAttempt) => unknown) | undefined;
  /**
   * Ends the ask after so many seconds without a key or touch: 25 to 3600. For the last 20 a warning counts down.
   * Default: 60.
   */
  idleSeconds?: number | undefined;
  /** What it means when nobody answers. Default: "print". */
  noAnswer?: "print" | "none" | undefined;
  /** Offers "No receipt" as well. Default: false. */
  allowNone?: boolean | undefined;
  /**
   * A number that you know, in E.164; an invalid one is ignored. Shown as "•••• 1234", replaced by the first key, and
   * sent only by the send button: Enter goes there first.
   */
  prefill?: string | undefined;
  /**
   * `"en"`, `"he"`, `"ar"` or `"es"`, with or without subtags such as `"he-IL"`. Default: the document's `lang`, else
   * the browser's language, else `"en"`.
   */
  locale?: string | undefined;
  /** Your own texts in place of single ones. Default: built-in texts. */
  labels?: Partial<ReceiptLabels> | undefined;
  /**
   * Languages that the shopper can choose on the keypad, such as `["en", "es"]`. At least two of "en", "he", "ar",
   * "es". A button shows the other one of two, and lists more, each by its own name. The language of the keypad, and of
   * your `labels`, is always one of them. Default: no button.
   */
  languages?: readonly string[] | undefined;
  /**
   * What a screen reader says while typing. Errors are always said. Each digit and, after a pause, the whole number;
   * after a pause how many there are; or nothing, which suits a loudspeaker in public. Default: "digits".
   */
  announce?: "digits" | "count" | "off" | undefined;
  /**
   * For so many seconds the shopper sees what became of it: 0 to 10. The result is there before, the focus is back, and
   * the till is not held up. With more than 0, an `onSend` that rejects can be repeated once: the keypad stays for 5
   * seconds or longer with "Try again", unless the error's `retryable` is false. Default: 2.
   */
  outcomeSeconds?: number | undefined;
  /**
   * What the receipt is for, below the title, such as "Paid $11.91 · Order 1041"; also as an object by language tags:
   * up to 120 characters. The one in the keypad's `lang` is shown, else the first.
   */
  context?: string | Readonly<Record<string, string>> | undefined;
  /**
   * How a key that counts answers, where the device can. The same for all keys: it vibrates, it clicks, or both.
   * Default: "none".
   */
  feedback?: "none" | "haptic" | "click" | "both" | undefined;
  /** Names the consent text in the result: up to 200 characters. Default: "ereceipt-1". */
  consentId?: string | undefined;
  /** Ends the ask: it resolves with the reason `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Why a receipt is printed. */
export type PrintReason =
  /** E-receipts are not enabled, or nobody could say so (`cause`). Nothing was shown. */
  | "not_enabled"
  /** "Print receipt" or Escape was pressed. */
  | "chosen"
  /** Nobody answered. */
  | "timeout"
  /** `onSend` failed, or took too long (`cause`: a `PosConnectError` of code `timeout`). */
  | "send_failed"
  /** The signal (`cause`: its reason), or `destroy()`. */
  | "aborted"
  /** Another ask took its place. */
  | "replaced"
  /** The keypad was taken out of the page, or the page has hidden it. */
  | "removed"
  /** The page was reloaded, closed or left. Code after `await` may still run: do not print in the page that goes. */
  | "page_hidden"
  /** The browser lacks custom elements, constructable style sheets or dialogs, or the page threw (`cause`). */
  | "unsupported";

/** What the shopper chose, or why nobody could. */
export type ReceiptResult =
  | ({
      /** A receipt by text message: the members of `Receipt` are here. */
      readonly kind: "ereceipt";
      /** No paper. */
      readonly print: false;
      /** `kind` of the `Receipt`. */
      readonly phoneKind: PhoneKind;
      /** Milliseconds since the ask began; so in every result. */
      readonly elapsedMs: number;
    } & Omit<Receipt, "kind">)
  | ({
      /** No paper. */
      readonly print: false;
      /** Milliseconds since the ask began. */
      readonly elapsedMs: number;
    } & ScannedReceipt)
  | {
      /** Paper. */
      readonly kind: "print";
      /** Print the receipt. */
      readonly print: true;
      /** The order that the shopper was asked about. */
      readonly orderId: string;
      /** Why there is paper. */
      readonly reason: PrintReason;
      /** The language that the keypad showed, or would have shown. */
      readonly locale: string;
      /** What was thrown or given as reason, or the `PosConnectError` of what failed. */
      readonly cause?: unknown;
      /** Milliseconds since the ask began. */
      readonly elapsedMs: number;
    }
  | {
      /** Neither paper nor message. */
      readonly kind: "none";
      /** No paper. */
      readonly print: false;
      /** The order that the shopper was asked about. */
      readonly orderId: string;
      /** The shopper's choice, or nobody chose in time. */
      readonly reason: "chosen" | "timeout";
      /** The language that the keypad showed. */
      readonly locale: string;
      /** Milliseconds since the ask began. */
      readonly elapsedMs: number;
    };

/**
 * The keypad as an element, for pages that lay it out themselves. While no ask runs, it is empty. When it is
 * shown, and when the shopper chooses a language, it fires `localechange`, which bubbles: `detail` is the tag.
 *
 * A child with `slot="brand"` stands above the title while an ask runs, up to three lines high; not in a low
 * window (480 px; 700 px if it is narrow).
 *
 * Attributes: `region` and `locale`, which the options of `ask` come before. Parts: `keypad title screen display
 * example clear slot hint suggestion keys key delete consent actions send print none progress outcome context language
 * languages offered scan code done`. Custom properties: `--ereceipt-accent --ereceipt-on-accent --ereceipt-surface
 * --ereceipt-text --ereceipt-muted --ereceipt-error --ereceipt-border` (colors), `--ereceipt-radius` (12px),
 * `--ereceipt-font`, `--ereceipt-font-size` (1rem, at least 16px), `--ereceipt-key-size` (64px, never below 48px),
 * `--ereceipt-gap` (8px). `color-scheme` decides between light and dark.
 */
export interface ReceiptKeypad extends HTMLElement {
  /**
   * As `PosConnect.receiptFor`, in this element, whatever `ereceipt` says. A second ask settles the first as "print",
   * "replaced".
   */
  ask(
    options: Omit<ReceiptOptions, "container" | "ereceipt" | "onScan" | "region"> & { region?: string | undefined },
  ): Promise<ReceiptResult>;
}

/**
 * Registers the keypad element under a name, and gives its class. The same name twice gives the same class. `init()`
 * has registered "ereceipt-keypad" already. Rejects with `invalid_option` (no name of an element, or somebody else's),
 * `unsupported_browser` (no custom elements) or `load_failed`.
 * @param name Default: "ereceipt-keypad".
 */
export function defineKeypad(name?: string): Promise<new () => ReceiptKeypad>;

declare global {
  interface HTMLElementTagNameMap {
    /**
     * Once `init()`, `PosConnect.create()` or `defineKeypad()` has resolved. Before that it is a plain element, and
     * `ask` is undefined.
     */
    "ereceipt-keypad": ReceiptKeypad;
  }
  interface HTMLElementEventMap {
    localechange: CustomEvent<string>;
  }
}

/** How far a phone number can be right. */
export type PhoneVerdict =
  /** A mobile number, or one that may be (in some countries they look like others), as libphonenumber has it. */
  | "valid"
  /** As long as a mobile number, but of no range that is known for them. */
  | "possible"
  | "invalid";

/** What kind of line a valid number may be. */
export type PhoneKind = "mobile" | "fixed_line_or_mobile";

/** What `parsePhone` says of a number. */
export interface PhoneNumber {
  /** What the digits are. */
  readonly verdict: PhoneVerdict;
  /** The number in E.164, if it is valid or possible: "+972502345678". */
  readonly e164: string | null;
  /** The number as its region writes it. This and all that follow are of valid numbers: "050-234-5678". */
  readonly national: string | null;
  /** "+972 50-234-5678" */
  readonly international: string | null;
  /** Where the number belongs to: ISO 3166-1 alpha-2. */
  readonly region: string | null;
  /** What kind of line it may be. */
  readonly kind: PhoneKind | null;
  /** A valid number that may have been meant instead. */
  readonly suggestion?: PhoneNumber;
  /** No more digits can make it a valid mobile number. */
  readonly deadEnd: boolean;
  /** See `phoneMetadataVersion`. */
  readonly metadataVersion: string;
  /** The digits that are dialed once the call is answered, if there are any: "3" of "ext. 3". No format has them. */
  readonly extension?: string;
}

/** The options of `parsePhone`. */
export interface PhoneOptions {
  /** Whose national numbers are read: ISO 3166-1 alpha-2. Default: none, so that a number must begin with `+`. */
  region?: string | undefined;
}

/**
 * Reads a mobile number as libphonenumber does: digits of every script, punctuation, `tel:` URIs, extensions, letters
 * of a telephone's keys. Throws `not_initialized` before `init` (or `create`) has loaded the WebAssembly, and
 * `invalid_option`.
 */
export function parsePhone(input: string, options?: PhoneOptions): PhoneNumber;

/** Groups digits as they are typed; all of them stay, in their order. Throws as `parsePhone` does. */
export function formatPhoneAsYouType(input: string, options?: PhoneOptions): string;

/** The release of libphonenumber whose number ranges are built in, e.g. "9.0.42". Throws `not_initialized`. */
export function phoneMetadataVersion(): string;

/** This package's version. */
export const version: string;

/** What the WebAssembly may be loaded from: its URL, a (promised) response, its bytes, or a compiled module. */
export type ModuleSource = string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/**
 * Loads the WebAssembly ahead of time, or from a place of your own. Called again, it does nothing; after a failure it
 * tries again.
 */
export function init(options?: { module?: ModuleSource | undefined }): Promise<void>;

/** The codes of `PosConnectError`. */
export type ErrorCode =
  | "invalid_option"
  | "unsupported_browser"
  | "insecure_context"
  | "vault_failed"
  | "load_failed"
  | "not_initialized"
  | "aborted"
  | "destroyed"
  | "closed"
  | "cancelled"
  | "wait_timeout"
  | "timeout"
  | "network"
  | "headers_failed"
  | "access_token_failed"
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
  | "invalid_body"
  | "too_large"
  | "idempotency_key_reused"
  | "order_exists"
  | "ereceipt_not_enabled"
  | "too_many_messages"
  | "unknown_sealing_key"
  | "not_connected"
  | "connection_ended"
  | "tokens_handed_out"
  | "other_account"
  | "outbox_full"
  | "upstream_refused"
  | "server_error"
  | "unexpected_status";

/** The calls that a `PosConnectError` can come from. */
export type Operation =
  | "init"
  | "create"
  | "createIntegration"
  | "mountFrame"
  | "status"
  | "waitUntilDone"
  | "fetchTokens"
  | "cancel"
  | "connect"
  | "receiptFor"
  | "charge"
  | "ask"
  | "defineKeypad"
  | "parsePhone"
  | "formatPhoneAsYouType"
  | "phoneMetadataVersion"
  | "resume"
  | "connection"
  | "forget"
  | "acknowledgeTokens"
  | "persistTokens"
  | "store.get"
  | "store.update"
  | "customers.send"
  | "orders.send"
  | "orders.get"
  | "orders.list"
  | "orders.retry"
  | "orders.discard"
  | "disconnect";

/**
 * Who can help. "retry": the same call, later. "connect": the merchant, who connects, or connects again. "fix": you,
 * because it is your page's own doing, its options or its policy. "support": who operates the service or the relay.
 */
export type Advice = "retry" | "connect" | "fix" | "support";

/** Every error of this package. It never holds a secret, a token, or a URL that carries one. */
export class PosConnectError extends Error {
  /** For your tests: an error as this package makes it. */
  constructor(
    message: string,
    fields: {
      /** As the member of this name; so all below. */
      code: ErrorCode;
      retryable: boolean;
      advice: Advice;
      operation: Operation;
      status?: number | undefined;
      retryAfterMs?: number | undefined;
      requestId?: string | undefined;
      pointer?: string | undefined;
    },
    cause?: unknown,
  );
  /** Also in a bundle that shortens names. */
  readonly name: "PosConnectError";
  /** What went wrong, for your code. */
  readonly code: ErrorCode;
  /** Whether the same call can work later without anything being changed. */
  readonly retryable: boolean;
  /** Who can help. */
  readonly advice: Advice;
  /** Where the site explains the code. */
  readonly docUrl: string;
  /** The call that failed. */
  readonly operation: Operation;
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** Milliseconds the service asked to wait before the next call. */
  readonly retryAfterMs?: number;
  /** The `X-Request-Id` of the answer: what the operator needs to find it. */
  readonly requestId?: string;
  /** The member of what you sent that is wrong, as a JSON pointer (RFC 6901): "/lines/0/amount". */
  readonly pointer?: string;
  /** What was thrown or given as reason, e.g. the abort signal's. */
  readonly cause?: unknown;
  /** For `JSON.stringify`: all of this but `cause`, which is the page's own value. */
  toJSON(): object;
}

// Uses the whole public API once, so that whatever is taken away or renamed no longer compiles. Never run.
import {
  defineKeypad,
  formatPhoneAsYouType,
  init,
  parsePhone,
  phoneMetadataVersion,
  PosConnect,
  PosConnectError,
  version,
  type Account,
  type Advice,
  type CallOptions,
  type ChargeOptions,
  type ChargeResult,
  type AcceptedOrder,
  type ConnectFrame,
  type Connection,
  type ConnectOptions,
  type CreateOptions,
  type CustomerChange,
  type CustomerResult,
  type ErrorCode,
  type FrameEnd,
  type FrameLabels,
  type FrameOptions,
  type HandedTokenSet,
  type HeldTokenSet,
  type Integration,
  type KeptOrder,
  type ModuleSource,
  type Operation,
  type Order,
  type OrderLine,
  type OrderRecord,
  type OutboxChange,
  type OutboxOrder,
  type PhoneNumber,
  type PhoneVerdict,
  type PosState,
  type PrintedReceipt,
  type PrintReason,
  type ReceiptKeypad,
  type ReceiptOptions,
  type ReceiptResult,
  type RetryOrderOptions,
  type SendAttempt,
  type SendOrderOptions,
  type SentOrder,
  type Status,
  type Store,
  type StoreProfilePatch,
  type StoreProfileResult,
  type TokenFault,
  type TokenSet,
  type WaitOptions,
} from "pos-connect";
import { explain } from "pos-connect/explain";
import * as inline from "pos-connect/inline";
import {
  connectPage,
  fakePosConnect,
  fakeService,
  keypad,
  posConnectError,
  PosConnect as Fake,
  type ConnectPage,
  type FakePosConnect,
  type FakeService,
  type Keypad,
  type PlaywrightPage,
} from "pos-connect/testing";

export async function loading(bytes: ArrayBuffer, module: WebAssembly.Module): Promise<void> {
  await init();
  await init({});
  const sources: ModuleSource[] = ["/x.wasm", new URL("https://till.example/x.wasm"), fetch("/x.wasm"), bytes, module];
  for (const source of sources) await init({ module: source });
  // Both entries have the same types.
  const other: typeof PosConnect = inline.PosConnect;
  await inline.init();
  other satisfies typeof PosConnect;
  // @ts-expect-error: only `create` makes one
  new PosConnect();
}

export async function creating(): Promise<PosConnect> {
  const options: CreateOptions = {
    baseUrl: "https://relay.example",
    connectUrl: "https://service.example/connect",
    clientId: "vendor",
    clientSecret: "secret",
    trustedPage: true,
    headers: async () => ({ authorization: "till" }),
  };
  await PosConnect.create({ ...options, headers: { authorization: "till" } });
  await PosConnect.create({ ...options, vault: "memory", onConnectionEnded: () => {} });
  await PosConnect.create({ ...options, vault: "memory", onConnected: ({ account }) => void account?.name });
  await PosConnect.create({ ...options, headers: () => ({ authorization: "till" }) });
  // @ts-expect-error: an unknown option
  await PosConnect.create({ ...options, clientSecrets: "x" });
  // @ts-expect-error: connectUrl and clientId are missing
  await PosConnect.create({ baseUrl: "https://relay.example" });
  return PosConnect.create(options);
}

export async function inOneCall(pos: PosConnect, signal: AbortSignal): Promise<TokenSet> {
  const options: ConnectOptions = {
    container: document.body,
    signal,
    sandbox: null,
    onStatus: (status: Status) => void status,
  };
  await pos.connect();
  await pos.connect({ container: "#connect", onReady: () => {} });
  await pos.connect({ container: null, doneSeconds: 0 });
  try {
    return await pos.connect(options);
  } finally {
    pos.destroy();
  }
}

/** What a till has not set yet is `undefined`. */
export async function notSetYet(pos: PosConnect, signal: AbortSignal | undefined, text: string | undefined) {
  await pos.connect({ signal, labels: { title: text }, onStatus: undefined });
  await pos.createIntegration({ signal });
  await pos.receiptFor({ orderId: "1", region: "IL", signal, prefill: text, onSend: undefined });
  await pos.receiptFor({ orderId: "1", region: "IL", noAnswer: "none", allowNone: true });
  await pos.receiptFor({ orderId: "1", region: "IL", outcomeSeconds: 2, context: text, feedback: "both" });
  await pos.receiptFor({ orderId: "1", region: "IL", announce: "off", consentId: "a", locale: "he-IL" });
  await pos.receiptFor({ orderId: "1", region: "IL", languages: ["en", "he"], labels: { lang: text, dir: "rtl" } });
  await pos.receiptFor({ orderId: "1", region: "IL", context: { en: "Paid", he: "שולם" } });
  const { baseUrl, connectUrl, clientId } = {
    baseUrl: "https://a.example",
    connectUrl: "https://b.example",
    clientId: "c",
  };
  return PosConnect.create({ baseUrl, connectUrl, clientId, storeId: text, persistTokens: undefined });
}

export async function stepByStep(pos: PosConnect, call: CallOptions): Promise<TokenSet | null> {
  const integration: Integration = await pos.createIntegration(call);
  await pos.createIntegration();
  const elsewhere = { phone: "f", here: "g", code: "h", scan: "i", qr: "j", copy: "k", copied: "l" };
  const window = { elsewhere: "m", showWindow: "n", codeWindow: "o", retry: "p" };
  const atEnd = { done: "q", ereceiptsOn: "r", ereceiptsOff: "s" };
  const labels: Required<FrameLabels> = {
    title: "a",
    loading: "b",
    slow: "c",
    offline: "t",
    waiting: "u",
    opened: "v",
    openWindow: "d",
    close: "e",
    ...elsewhere,
    ...window,
    ...atEnd,
  };
  integration.code satisfies string | undefined;
  const frameOptions: FrameOptions = {
    labels,
    locale: "he",
    theme: "dark",
    sandbox: "allow-scripts",
    onReady: () => {},
  };
  const frame: ConnectFrame = integration.mountFrame("#connect", frameOptions);
  integration.mountFrame() satisfies ConnectFrame;
  frame.element satisfies HTMLElement;
  const status: Status = await integration.status(call);
  const wait: WaitOptions = { ...call, onStatus: (next) => next satisfies Status };
  const outcome: "finished" | "cancelled" = await integration.waitUntilDone(wait);
  const end: FrameEnd = await frame.ended;
  frame.close();
  if (status === "cancelled" || outcome === "cancelled" || end !== "finished") {
    await integration.cancel(call);
    integration.destroy();
    return null;
  }
  integration.integrationToken satisfies string;
  // @ts-expect-error: it never changes
  integration.integrationToken = "";
  return integration.fetchTokens(call);
}

const lines: readonly OrderLine[] = Object.freeze([{ name: "Bread", quantity: 2, unitPrice: 595, amount: 1190 }]);
const weighed: OrderLine = { name: "Olives", quantity: -0.355, unit: "kg", unitPrice: 390, amount: -138 };
const refund: Order = {
  externalId: "1042",
  refundOf: "1041",
  time: new Date(),
  currency: "ILS",
  total: -138,
  lines: [weighed],
};
const order: Order = { externalId: "1041", time: new Date(), currency: "ILS", total: 1190, lines };

export async function orders(
  pos: PosConnect,
  receipt: ReceiptResult,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options: SendOrderOptions = { receipt, signal, printIfQueued: false };
  const sent: SentOrder = await pos.orders.send(order, options);
  if (sent.state === "accepted") sent satisfies AcceptedOrder;
  (await pos.orders.send(refund)).cleaned satisfies readonly string[] | undefined;
  const waiting: OutboxOrder[] = await pos.orders.list();
  for (const { id, state, order: kept } of waiting) {
    const corrected: RetryOrderOptions = kept ? { order: { ...kept, total: 1190 } } : {};
    if (state === "refused") (await pos.orders.retry(id, corrected)) satisfies boolean;
    else (await pos.orders.discard(id)) satisfies boolean;
    // @ts-expect-error: the number stays in the storage
    kept?.ereceipt;
  }
  const record: OrderRecord | null = await pos.orders.get("1041", { signal });
  const known: KeptOrder | undefined = record?.order;
  // @ts-expect-error: the number is not given back
  record?.order.ereceipt?.phone;
  return known?.time;
}

export async function afterwards(pos: PosConnect, signal: AbortSignal): Promise<Store | undefined> {
  const patch: StoreProfilePatch = { name: "Market Street", website: null };
  const { store, profile }: StoreProfileResult = await pos.store.update(patch, { signal });
  profile.name satisfies string | undefined;
  store.id satisfies string;
  const customers: readonly CustomerChange[] = [
    { externalId: "c-7", name: null, phone: "+972502345678" },
    { externalId: "c-8", deleted: true },
  ];
  const results: CustomerResult[] = await pos.customers.send(customers, { idempotencyKey: "list-1", signal });
  results.map(({ externalId, rule, cleaned }) => [externalId, rule, cleaned?.[0]]) satisfies (string | undefined)[][];
  const print = ({ order, reason }: PrintedReceipt) => console.log(order.lines.length, reason);
  const charge: ChargeOptions = { region: "IL", print, allowNone: true, printIfQueued: false };
  const sold: ChargeResult = await pos.charge(order, charge);
  console.log(sold.state, sold.print, sold.receipt.kind);
  // @ts-expect-error There is nobody who prints.
  void pos.charge(order, { region: "IL" });
  const heard = ({ state, externalId, error }: OutboxChange) => console.log(state, externalId, error?.pointer);
  await PosConnect.create({
    baseUrl: "https://a.example",
    connectUrl: "https://a.example",
    clientId: "a",
    onOutbox: heard,
    onInterrupted: print,
    persistStorage: false,
  });
  const connection: Connection | null = await pos.connection();
  await pos.disconnect({ signal });
  return connection?.store;
}

export function reading(tokens: TokenSet): string {
  const account: Account | undefined = tokens.account;
  const store: Store | undefined = tokens.store;
  const faults: readonly TokenFault[] = tokens.faults;
  const problems: TokenFault["problem"][] = faults.map((fault) => fault.problem);
  const expires = tokens.expiration instanceof Date ? tokens.expiration.toISOString() : (tokens.expiration ?? "never");
  const about = [account?.id, account?.name, store?.name, expires, tokens.ereceipt, ...problems].join();
  if (tokens.held) {
    tokens satisfies HeldTokenSet;
    // @ts-expect-error: the relay keeps it
    return about + tokens.accessToken;
  }
  tokens satisfies HandedTokenSet;
  return about + tokens.accessToken + tokens.refreshToken;
}

export function failing(error: unknown): string {
  if (!(error instanceof PosConnectError)) throw error;
  const code: ErrorCode = error.code;
  const operation: Operation = error.operation;
  const { status, retryAfterMs, requestId, cause, name } = error;
  (status ?? 0) satisfies number;
  (retryAfterMs ?? 0) satisfies number;
  (requestId ?? "") satisfies string;
  void cause;
  name satisfies "PosConnectError";
  error.retryable satisfies boolean;
  const advice: Advice = error.advice;
  new URL(error.docUrl);
  if (advice === "support") return explain(error, "he") + version;
  // @ts-expect-error: not a code
  if (code === "no_such_code") return operation;
  return error.message;
}

export async function selling(pos: PosConnect, element: ReceiptKeypad): Promise<string> {
  const options: ReceiptOptions = {
    orderId: "1",
    region: "IL",
    noAnswer: "none",
    announce: "off",
    labels: { title: "Receipt" },
    onSend: async (receipt, { signal, idempotencyKey, attempt }: SendAttempt) => {
      idempotencyKey satisfies string;
      attempt satisfies number;
      receipt.phone satisfies string;
      receipt.consent.at satisfies Date;
      signal satisfies AbortSignal;
    },
  };
  // @ts-expect-error: whose order?
  void pos.receiptFor({ region: "IL" });
  const receipt: ReceiptResult = await pos.receiptFor(options);
  // @ts-expect-error: an element is in its place already
  void element.ask({ orderId: "2", container: "#here" });
  const again = await element.ask({ orderId: "2" });
  again.print satisfies boolean;
  if (receipt.kind === "ereceipt") {
    receipt.print satisfies false;
    return receipt.phone + receipt.phoneKind;
  }
  if (receipt.kind === "qr") {
    receipt.print satisfies false;
    // @ts-expect-error: behind a code there is no number
    void receipt.phone;
    return receipt.linkHash;
  }
  if (receipt.kind === "none") return receipt.reason satisfies "chosen" | "timeout";
  receipt.print satisfies true;
  // @ts-expect-error: on paper there is no number
  void receipt.phone;
  const reason: PrintReason = receipt.reason;
  return reason;
}

export async function counting(): Promise<boolean> {
  const Element: new () => ReceiptKeypad = await defineKeypad("shop-keypad");
  const phone: PhoneNumber = parsePhone("050-234-5678", { region: "IL" });
  const verdict: PhoneVerdict = phone.suggestion?.verdict ?? phone.verdict;
  formatPhoneAsYouType("0502") satisfies string;
  phoneMetadataVersion() satisfies string;
  // @ts-expect-error: a number is not what was typed
  parsePhone(502345678);
  return verdict === "valid" && phone.e164 !== null && new Element() instanceof HTMLElement;
}

export function showing({ state, subscribe }: PosConnect): () => void {
  const { status, connection, hasEnded, isConnecting, waiting, refused, error }: PosState = state;
  status satisfies "loading" | "unreachable" | "disconnected" | "connected";
  connection satisfies Connection | null;
  [hasEnded, isConnecting] satisfies boolean[];
  [...waiting, ...refused] satisfies OutboxOrder[];
  error?.code satisfies ErrorCode | undefined;
  return subscribe(() => {});
}

export async function testing(order: Order): Promise<ErrorCode> {
  const pos: FakePosConnect = fakePosConnect({
    connect: ["closed", { ereceipt: false }, Promise.resolve("finished")],
    receipts: ["+972502345678", "none", "timeout"],
    orders: [{ ereceipt: "failed" }, "network", "accepted"],
    connection: {},
    clock: new Date(),
    onOutbox: ({ state }) => void state,
  });
  // It stands in for the package, so it has the same types.
  const real: PosConnect = pos;
  Fake satisfies typeof PosConnect;
  await real.orders.send(order);
  await pos.fake.advance(1000);
  pos.fake.script({ orders: "invalid_body" });
  pos.fake.connectElsewhere({ ereceipt: false });
  pos.fake.endConnection();
  pos.fake.calls.map(({ operation }) => operation) satisfies (Operation | "destroy")[];
  pos.fake.now satisfies Date;
  // @ts-expect-error: not a code
  fakePosConnect({ connect: "no_such_code" });
  return posConnectError("closed", { operation: "connect", status: 502 }).code;
}

export async function overService(page: PlaywrightPage): Promise<unknown> {
  const service: FakeService = fakeService({
    connect: ["pending", "cancelled", { ereceipt: false }, Promise.resolve("finished")],
    orders: [{ ereceipt: "failed" }, "network"],
    calls: { "GET /connection": ["answered", new Response("busy", { status: 503 }), "server_error"] },
    connection: {},
    baseUrl: "https://relay.example",
  });
  globalThis.fetch = service.fetch;
  const pos = await PosConnect.create({ ...service.options, vault: "indexeddb" });
  service.script({ orders: "accepted" });
  service.decide();
  service.decide({ accessToken: "access-1" });
  service.endConnection();
  service.connectPage satisfies string;
  const [handler] = service.handlers({ all: (path: string) => new URL(path) });
  handler satisfies URL | undefined;
  const merchant: ConnectPage = connectPage(page);
  await merchant.signIn({ email: "a", password: "b" });
  await merchant.consent({ ereceipts: true });
  const shopper: Keypad = keypad(page);
  await shopper.type("0502345678");
  // @ts-expect-error: no call of the service's
  fakeService({ receipts: "none" });
  return [pos, service.requests.map(({ method, path, body }) => [method, path, body])];
}

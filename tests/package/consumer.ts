// Uses the whole public API once, so that whatever is taken away or renamed no longer compiles. Never run.
import {
  init,
  PosConnect,
  PosConnectError,
  type Account,
  type CallOptions,
  type ConnectFrame,
  type ConnectOptions,
  type CreateOptions,
  type ErrorCode,
  type FrameEnd,
  type FrameLabels,
  type FrameOptions,
  type HandedTokenSet,
  type HeldTokenSet,
  type Integration,
  type ModuleSource,
  type Operation,
  type Status,
  type TokenFault,
  type TokenSet,
  type WaitOptions,
} from "pos-connect";
import * as inline from "pos-connect/inline";

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
  await PosConnect.create({ ...options, headers: () => ({ authorization: "till" }) });
  // @ts-expect-error: an unknown option
  await PosConnect.create({ ...options, clientSecrets: "x" });
  // @ts-expect-error: connectUrl and clientId are missing
  await PosConnect.create({ baseUrl: "https://relay.example" });
  return PosConnect.create(options);
}

export async function inOneCall(pos: PosConnect, signal: AbortSignal): Promise<TokenSet> {
  const options: ConnectOptions = { container: document.body, signal, sandbox: null, onStatus: (status: Status) => void status };
  await pos.connect();
  await pos.connect({ container: "#connect", onReady: () => {} });
  await pos.connect({ container: null });
  try {
    return await pos.connect(options);
  } finally {
    pos.destroy();
  }
}

export async function stepByStep(pos: PosConnect, call: CallOptions): Promise<TokenSet | null> {
  const integration: Integration = await pos.createIntegration(call);
  await pos.createIntegration();
  const labels: Required<FrameLabels> = { title: "a", loading: "b", slow: "c", openWindow: "d", close: "e" };
  const frameOptions: FrameOptions = { labels, sandbox: "allow-scripts", onReady: () => {} };
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

export function reading(tokens: TokenSet): string {
  const account: Account | undefined = tokens.account;
  const faults: readonly TokenFault[] = tokens.faults;
  const problems: TokenFault["problem"][] = faults.map((fault) => fault.problem);
  const expires = tokens.expiration instanceof Date ? tokens.expiration.toISOString() : (tokens.expiration ?? "never");
  const about = [account?.id, account?.name, expires, tokens.ereceipt, ...problems].join();
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
  // @ts-expect-error: not a code
  if (code === "no_such_code") return operation;
  return error.message;
}

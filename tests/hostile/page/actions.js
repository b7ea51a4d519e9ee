// What can happen in a storm. Each takes the world and its dice.
import { time } from "./clock.js";
import { digits, stroke } from "./hands.js";
import { never, thrown } from "./world.js";

const REGIONS = ["IL", "US", "DE"];
const KEYS = [..."0123456789", "Enter", "Escape", "Backspace", "Tab", " ", "ArrowRight"];

/** An object whose member throws when it is read. */
const thrower = (name) =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw thrown();
    },
  });

const container = (world, roll) => roll.one([undefined, null, ...world.containers.filter((one) => one.isConnected)]);

function callback(world, roll) {
  return roll.one([
    undefined,
    () => {},
    () => {
      throw thrown();
    },
    () =>
      world.clients
        .at(-1)
        ?.connection()
        .catch(() => {}),
  ]);
}

function options(world, roll) {
  if (roll.chance(0.05)) return thrower(roll.one(["signal", "labels", "onStatus"]));
  return {
    signal: roll.chance(0.4) ? world.signal() : undefined,
    onStatus: callback(world, roll),
    container: container(world, roll),
    labels: roll.chance(0.2) ? { title: "T" } : undefined,
  };
}

/** A receipt is sent at most once an ask, and only by what the shopper does after it was shown. */
function onSend(world, roll) {
  let calls = 0;
  const kind = roll.below(6);
  if (kind === 0) return undefined;
  return () => {
    calls += 1;
    world.ledger.count("onSend");
    if (calls > 1) world.ledger.fail("onSend was called twice for one ask");
    if (!world.isConsenting) world.ledger.fail("onSend without an action of the shopper's");
    if (kind === 1) throw thrown();
    if (kind === 2) return Promise.reject(thrown());
    if (kind === 3) return never();
    if (kind === 4) world.shownKeypads.at(-1)?.shadowRoot.querySelector('[part~="print"]')?.click();
    return undefined;
  };
}

function receipt(world, roll) {
  return {
    orderId: `order ${roll.below(1000)}`,
    region: roll.one(REGIONS),
    onSend: onSend(world, roll),
    prefill: roll.chance(0.3) ? "+972502345678" : undefined,
    signal: roll.chance(0.3) ? world.signal() : undefined,
    idleSeconds: roll.chance(0.3) ? 25 : undefined,
    noAnswer: roll.chance(0.2) ? "none" : undefined,
  };
}

function settledReceipt(world) {
  return (result, error) => {
    if (error) return;
    const kinds = { ereceipt: false, print: true, none: false };
    if (kinds[result?.kind] !== result?.print) world.ledger.fail(`an odd result: ${world.ledger.text(result)}`);
  };
}

/** Whoever says so is taken for the service, though it keeps nothing. */
async function claims(world, request) {
  const isOrder = request.method === "POST" && request.url.endsWith("/v1/orders");
  if (isOrder) world.book.mayBeGone((await request.json()).externalId);
  return new Response('{"success":true}');
}

/** Runs what may send, as the shopper's. */
function consenting(world, act) {
  world.isConsenting = true;
  try {
    act();
  } finally {
    world.isConsenting = false;
  }
}

const last = (list) => list.at(-1);
const part = (world, name) => last(world.shownKeypads)?.shadowRoot.querySelector(`[part~="${name}"]`);
const spread = (roll, list) => (list.length > 0 ? roll.one(list) : undefined);

export const ACTIONS = [
  {
    name: "connect",
    weight: 6,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) world.ledger.expect("connect", client.connect(options(world, roll))).catch(() => {});
    },
  },
  {
    name: "the merchant decides",
    weight: 4,
    run: (world, roll) => world.service.decide(roll.one(["finished", "finished", "cancelled"])),
  },
  {
    name: "abort",
    weight: 3,
    run: (world, roll) => spread(roll, world.controllers)?.abort(roll.one([undefined, "why", thrown()])),
  },
  { name: "close", weight: 3, run: () => document.querySelector(".pos-connect-close")?.click() },
  { name: "phone", weight: 1, run: () => document.querySelector(".pos-connect-phone")?.click() },
  {
    name: "window",
    weight: 1,
    run: (world, roll) => {
      const { open } = window;
      window.open = roll.one([
        () => null,
        () => ({ close() {} }),
        () => {
          throw thrown();
        },
      ]);
      document.querySelector(".pos-connect-open-window")?.click();
      window.open = open;
    },
  },
  {
    name: "message",
    weight: 2,
    run: (world, roll) => {
      const data = roll.one([null, { posConnect: 1, type: "decided" }, thrower("type"), "decided"]);
      const source = document.querySelector("iframe.pos-connect-frame")?.contentWindow ?? null;
      window.dispatchEvent(new MessageEvent("message", { data, source, origin: "https://connect.example" }));
    },
  },
  {
    name: "createIntegration",
    weight: 3,
    run: async (world, roll) => {
      const client = spread(roll, world.clients);
      if (!client) return;
      const made = world.ledger.expect(
        "createIntegration",
        client.createIntegration({ signal: roll.chance(0.3) ? world.signal() : undefined }),
      );
      made.then(
        (integration) => world.keep(world.integrations, integration),
        () => {},
      );
    },
  },
  {
    name: "resume",
    weight: 3,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (!client) return;
      world.ledger.expect("resume", client.resume()).then(
        (left) => left && world.keep(world.integrations, left),
        () => {},
      );
    },
  },
  {
    name: "mountFrame",
    weight: 3,
    run: (world, roll) => {
      const place = roll.one(world.containers);
      const integration = spread(roll, world.integrations);
      if (!integration || !place) return;
      try {
        const frame = integration.mountFrame(place);
        world.ledger.expect("ended", frame.ended);
        if (roll.chance(0.3)) frame.close();
      } catch (error) {
        if (error?.name !== "PosConnectError") throw error;
      }
    },
  },
  ...["waitUntilDone", "status", "fetchTokens", "acknowledgeTokens", "cancel"].map((call) => ({
    name: call,
    weight: 3,
    run: (world, roll) => {
      const integration = spread(roll, world.integrations);
      const given = roll.chance(0.3) ? { signal: world.signal() } : undefined;
      if (integration) world.ledger.expect(call, integration[call](given)).catch(() => {});
    },
  })),
  { name: "destroy an integration", weight: 1, run: (world, roll) => spread(roll, world.integrations)?.destroy() },
  {
    name: "connection",
    weight: 2,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) world.ledger.expect("connection", client.connection()).catch(() => {});
    },
  },
  ...["forget", "disconnect"].map((call) => ({
    name: call,
    weight: 0.5,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) void world.book.forgetting(world.ledger.expect(call, client[call]()));
    },
  })),
  {
    name: "sendOrder",
    weight: 6,
    run: (world, roll) => {
      const client = spread(
        roll,
        world.clients.filter((one) => !world.forgetful.has(one)),
      );
      if (!client) return;
      world.book.send(client, { signal: roll.chance(0.2) ? world.signal() : undefined });
    },
  },
  {
    name: "the outbox",
    weight: 2,
    run: async (world, roll) => {
      const client = spread(roll, world.clients);
      const listed = client && (await world.ledger.expect("outbox", client.outbox()).catch(() => []));
      const { id, externalId } = spread(roll, listed ?? []) ?? {};
      if (!id) return;
      if (roll.chance(0.5)) {
        world.ledger.expect("retryOrder", client.retryOrder(id)).catch(() => {});
      } else {
        world.book.mayBeGone(externalId);
        world.ledger.expect("discardOrder", client.discardOrder(id)).catch(() => {});
      }
    },
  },
  ...[
    ["storeProfile", () => []],
    ["updateStoreProfile", (roll) => [roll.chance(0.2) ? thrower("name") : { name: "Storm" }]],
    ["sendCustomers", () => [[{ externalId: "c-1", name: "Dana" }]]],
    ["order", (roll) => [`order-${1 + roll.below(30)}`]],
  ].map(([call, given]) => ({
    name: call,
    weight: 0.7,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (client) world.ledger.expect(call, client[call](...given(roll))).catch(() => {});
    },
  })),
  {
    name: "another page of the store",
    weight: 2,
    run: (world, roll) =>
      world.addClient({
        persistTokens: roll.one([
          undefined,
          () => {},
          () => {
            throw thrown();
          },
          never,
        ]),
        headers: roll.one([
          undefined,
          undefined,
          () => ({ "x-till": "7" }),
          () => {
            throw thrown();
          },
          () => never(),
        ]),
        vault: roll.chance(0.3) ? "memory" : undefined,
      }),
  },
  {
    name: "another tab",
    weight: 4,
    run: async (world, roll) => {
      if (world.tabs.length < 2 && roll.chance(0.3)) await world.openTab();
      spread(roll, world.tabs)?.contentWindow.tab?.act(roll);
    },
  },
  {
    name: "another tab is reloaded",
    weight: 0.7,
    run: async (world, roll) => {
      const tab = spread(roll, world.tabs);
      if (tab) await world.reloadTab(tab);
    },
  },
  {
    name: "another tab is closed",
    weight: 0.7,
    run: (world, roll) => {
      const tab = spread(roll, world.tabs);
      if (tab) world.closeTab(tab);
    },
  },
  {
    name: "destroy",
    weight: 1,
    run: async (world) => {
      world.clients.shift()?.destroy();
      if (world.clients.length === 0) await world.addClient({});
    },
  },
  {
    name: "receiptFor",
    weight: 8,
    run: (world, roll) => {
      const client = spread(roll, world.clients);
      if (!client) return;
      const given = { ...receipt(world, roll), container: container(world, roll) };
      world.ledger.expect("receiptFor", client.receiptFor(given), settledReceipt(world)).catch(() => {});
    },
  },
  {
    name: "ask",
    weight: 3,
    run: (world, roll) => {
      if (world.keypads.length < 2) {
        const element = new world.Keypad();
        document.body.append(element);
        world.keypads.push(element);
      }
      const element = roll.one(world.keypads);
      if (!element.isConnected) document.body.append(element);
      world.ledger.expect("ask", element.ask(receipt(world, roll)), settledReceipt(world)).catch(() => {});
    },
  },
  {
    name: "a number",
    weight: 8,
    run: (world) => {
      const display = part(world, "display");
      if (!display) return;
      digits(display, "0502345678");
    },
  },
  {
    name: "a key",
    weight: 10,
    run: (world, roll) => {
      const target = document.activeElement?.shadowRoot?.activeElement ?? part(world, "display") ?? document.body;
      consenting(world, () => stroke(target, roll.one(KEYS), { repeat: roll.chance(0.1) }));
    },
  },
  {
    name: "send",
    weight: 6,
    run: (world, roll) =>
      consenting(world, () => {
        const send = part(world, "send");
        const display = part(world, "display");
        if (send && roll.chance(0.5)) send.click();
        else if (display) stroke(display, "Enter");
      }),
  },
  { name: "print", weight: 2, run: (world) => part(world, "print")?.click() },
  {
    name: "a touch",
    weight: 4,
    run: (world, roll) => {
      const key = roll.one([...(last(world.shownKeypads)?.shadowRoot.querySelectorAll('[part~="key"]') ?? [null])]);
      const touch = { pointerId: 5, pointerType: "touch", button: 0, bubbles: true, composed: true, cancelable: true };
      key?.dispatchEvent(new PointerEvent("pointerdown", touch));
      key?.dispatchEvent(new PointerEvent(roll.one(["click", "pointercancel"]), { ...touch, detail: 1 }));
    },
  },
  {
    name: "the page removes",
    weight: 2,
    run: (world, roll) => {
      const gone = roll.one([...world.containers, ...document.querySelectorAll("dialog, ereceipt-keypad")]);
      gone?.remove();
      if (world.containers.every((one) => !one.isConnected)) world.addContainer();
    },
  },
  {
    name: "the page moves",
    weight: 2,
    run: (world, roll) => {
      const [one, other] = [roll.one(world.containers), roll.one(world.containers)];
      if (one !== other && !one.contains(other)) other.append(one);
    },
  },
  { name: "a new container", weight: 1, run: (world) => void world.addContainer() },
  {
    name: "parsePhone",
    weight: 2,
    run: (world, roll) => {
      const text = Array.from({ length: roll.below(16) }, () => roll.one([..."0123456789+ ()-٠٥۰０"])).join("");
      world.sdk.parsePhone(text, { region: roll.one(REGIONS) });
      world.sdk.formatPhoneAsYouType(text, { region: roll.one(REGIONS) });
    },
  },
  {
    name: "offline",
    weight: 2,
    run: (world) => world.fault(world.service, "fetch", () => Promise.reject(new TypeError("Failed to fetch"))),
  },
  {
    name: "a service that hangs",
    weight: 1,
    run: (world) =>
      world.fault(
        world.service,
        "fetch",
        (request) =>
          new Promise((_, reject) => {
            request.signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
          }),
      ),
  },
  {
    name: "an odd answer",
    weight: 2,
    run: (world, roll) =>
      world.fault(world.service, "fetch", async (request) =>
        roll.one([
          () => new Response("{"),
          () => new Response("[]"),
          () => new Response("", { status: 500 }),
          () => new Response("{}", { status: 410 }),
          () => claims(world, request),
          () => undefined,
        ])(),
      ),
  },
  {
    name: "no room",
    weight: 1,
    run: (world) =>
      world.fault(IDBObjectStore.prototype, "put", () => {
        throw new DOMException("full", "QuotaExceededError");
      }),
  },
  {
    name: "no locks",
    weight: 1,
    run: (world, roll) =>
      world.fault(
        LockManager.prototype,
        "request",
        roll.one([
          () => never(),
          () => Promise.reject(new DOMException("no", "SecurityError")),
          () => {
            throw thrown();
          },
        ]),
      ),
  },
  {
    name: "no random numbers",
    weight: 1,
    run: (world) =>
      world.fault(Crypto.prototype, "getRandomValues", () => {
        throw thrown();
      }),
  },
  {
    name: "the clock is set",
    weight: 1,
    run: (world, roll) => {
      const real = performance.timeOrigin + time() + roll.one([-1, 1]) * 400 * 86_400_000;
      world.fault(Date, "now", () => real);
    },
  },
  { name: "all is well again", weight: 8, run: (world) => world.mend() },
];

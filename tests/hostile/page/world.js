// The page of the storm: a till, a service with moods, containers, and callbacks of the host's.
import { Book } from "./book.js";
import { advance, pause, time, turn, until } from "./clock.js";
import { digits } from "./hands.js";
import { ACCESS_TOKEN, Service } from "./service.js";
import { CONNECT_URL } from "./till.js";

/** What the storm throws itself, which is no fault of anybody's. */
export const thrown = () => Object.assign(new Error("storm"), { storm: true });

export const never = () => new Promise(() => {});

export class World {
  clients = [];
  integrations = [];
  controllers = [];
  containers = [];
  /** Those that the page has dropped, too. */
  allContainers = [];
  keypads = [];
  /** The clients whose orders end with the page. */
  forgetful = new WeakSet();
  /** True while the shopper does what may send. */
  isConsenting = false;
  #mended = [];
  #shownAt = new WeakMap();

  static async make(ledger) {
    const world = new World();
    world.ledger = ledger;
    world.#watchShown();
    world.sdk = await import("/node_modules/pos-connect/index.js");
    await world.sdk.init();
    world.Keypad = await world.sdk.defineKeypad();
    world.service = new Service({}, {});
    world.book = new Book(ledger, world.service);
    world.storeId = `storm-${crypto.randomUUID()}`;
    for (let made = 0; made < 3; made += 1) world.addContainer();
    await world.addClient({});
    return world;
  }

  get options() {
    const { origin: baseUrl } = this.service;
    return {
      baseUrl,
      connectUrl: CONNECT_URL,
      clientId: "till",
      clientSecret: "hunter2",
      trustedPage: true,
      ereceipt: true,
      accessToken: () => ACCESS_TOKEN,
      onInterrupted: ({ externalId }) => this.book.printed(externalId),
    };
  }

  async addClient(more) {
    const all = { ...this.options, storeId: this.storeId, ...more };
    const client = await this.ledger.expect("create", this.sdk.PosConnect.create(all)).catch(() => undefined);
    if (client) this.clients.push(client);
    if (client && more.vault === "memory") this.forgetful.add(client);
    while (this.clients.length > 3) this.clients.shift().destroy();
  }

  addContainer() {
    const container = document.createElement("div");
    document.body.append(container);
    this.containers.push(container);
    this.allContainers.push(container);
    while (this.containers.length > 6) this.containers.shift().remove();
    return container;
  }

  keep(list, one, most = 8) {
    list.push(one);
    if (list.length > most) list.shift();
  }

  /** A signal that the storm may abort. */
  signal() {
    const controller = new AbortController();
    this.keep(this.controllers, controller);
    return this.ledger.watchSignal(controller.signal);
  }

  /** A fault that lasts until it is mended; at most one of a kind. */
  fault(object, name, value) {
    this.#replace(object, name, { configurable: true, writable: true, value });
  }

  /** Handlers that are set come to nothing; those that are there can be taken away. */
  deafen(object, name) {
    const { get, set } = Object.getOwnPropertyDescriptor(object, name);
    this.#replace(object, name, {
      configurable: true,
      get,
      set(handler) {
        // wasm-bindgen takes one away with `undefined`.
        if (handler == null) set?.call(this, handler);
      },
    });
  }

  #replace(object, name, descriptor) {
    if (this.#mended.some((one) => one.object === object && one.name === name)) return;
    const before = Object.getOwnPropertyDescriptor(object, name);
    // Where everything is frozen, nobody can do that either.
    if (!Reflect.defineProperty(object, name, descriptor)) return;
    this.#mended.push({ object, name, before });
  }

  mend() {
    this.book.storageIsWell();
    for (const { object, name, before } of this.#mended.splice(0)) {
      if (before) Object.defineProperty(object, name, before);
      else delete object[name];
      if (name === "onLine") dispatchEvent(new Event("online"));
    }
  }

  /** Notes when something was put into a shadow root, by the clock that stands still. */
  #watchShown() {
    const shown = new MutationObserver((records) => {
      for (const { target, addedNodes } of records) if (addedNodes.length > 0) this.#shownAt.set(target, time());
    });
    const { attachShadow } = Element.prototype;
    Element.prototype.attachShadow = function (init) {
      const root = attachShadow.call(this, init);
      shown.observe(root, { childList: true });
      return root;
    };
  }

  /** When the keypad in a shadow root was shown; long ago, if it is none. */
  shownAt(root) {
    return this.#shownAt.get(root) ?? Number.NEGATIVE_INFINITY;
  }

  get shownKeypads() {
    return [...document.querySelectorAll("ereceipt-keypad")].filter(
      (element) => element.shadowRoot?.childElementCount > 0,
    );
  }

  check() {
    const frames = document.querySelectorAll("dialog.pos-connect-dialog");
    if (frames.length > this.clients.length)
      this.ledger.fail(`${frames.length} connect dialogs of ${this.clients.length} clients`);
    const addresses = [...document.querySelectorAll("iframe.pos-connect-frame[src]")].map(({ src }) => src);
    // Each client may show what it has resumed.
    const most = Math.max(0, ...addresses.map((src) => addresses.filter((other) => other === src).length));
    if (most > this.clients.length) this.ledger.fail(`${most} frames of one integration`);
    const asked = [...this.shownKeypads].filter((element) => !this.keypads.includes(element));
    if (asked.length > this.clients.length)
      this.ledger.fail(`${asked.length} keypads of ${this.clients.length} clients`);
  }

  /** Everything is mended and destroyed, and every limit passes. Then all has to work. */
  async end() {
    this.mend();
    for (const client of this.clients) client.destroy();
    for (const keypad of this.keypads) keypad.remove();
    this.service.decide("cancelled");
    await this.#drain();
    if (this.ledger.broken.length === 0 && this.ledger.pending.length === 0) {
      await this.#orders();
      await this.#calm();
    }
    await this.#drain();
    // Longer than any limit.
    await advance(300_000);
    for (let turns = 0; turns < 20; turns += 1) await turn();
  }

  async #drain() {
    for (let rounds = 0; rounds < 200 && this.ledger.pending.length > 0; rounds += 1) {
      await advance(5_000);
      // The locks answer in real time, which is longer on a busy machine.
      for (let turns = 0; turns < 20; turns += 1) await turn();
      await pause(5);
    }
  }

  /** The store of the storm: what its tills have left is sent. */
  async #orders() {
    const client = await this.sdk.PosConnect.create({ ...this.options, storeId: this.storeId });
    await this.book.check(client);
    client.destroy();
  }

  /** A store that no storm has seen, in the same page: its merchant connects, its shopper gets a receipt. */
  async #calm() {
    const client = await this.sdk.PosConnect.create({ ...this.options, storeId: crypto.randomUUID() });
    const { ledger, service } = this;
    try {
      const flow = ledger.expect("connect, in the end", client.connect());
      await until(() => document.querySelector('iframe[src*="integration_token"]'), "the frame");
      service.decide("finished");
      await this.#passing(flow);
      const integration = await this.#passing(
        ledger.expect("createIntegration, in the end", client.createIntegration()),
      );
      service.decide("finished");
      await this.#passing(ledger.expect("waitUntilDone, in the end", integration.waitUntilDone()));
      await this.#passing(ledger.expect("fetchTokens, in the end", integration.fetchTokens()));
      await this.#receipt(client);
    } catch (error) {
      ledger.fail(`after the storm: ${error?.stack ?? error}`);
    }
    client.destroy();
  }

  /** A promise that needs some seconds to pass. */
  async #passing(promise) {
    let isOver = false;
    const over = () => (isOver = true);
    promise.then(over, over);
    for (let rounds = 0; rounds < 100 && !isOver; rounds += 1) {
      await advance(500);
      await pause(20);
    }
    if (!isOver) throw new Error("it never settled");
    return promise;
  }

  async #receipt(client) {
    let sent = 0;
    const asked = this.ledger.expect(
      "receiptFor, in the end",
      client.receiptFor({ orderId: "1", region: "IL", onSend: () => void (sent += 1) }),
    );
    await until(() => this.shownKeypads.length > 0, "the keypad");
    await advance(1_000);
    const part = (name) => this.shownKeypads.at(-1).shadowRoot.querySelector(`[part~="${name}"]`);
    digits(part("display"), "0502345678");
    part("send").click();
    const { kind } = await this.#passing(asked);
    if (kind !== "ereceipt" || sent !== 1)
      this.ledger.fail(`after the storm a receipt was ${kind}, sent ${sent} times`);
  }
}

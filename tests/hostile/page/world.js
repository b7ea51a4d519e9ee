// The page of the storm: a till, a service with moods, containers, and callbacks of the host's.
import { advance, turn } from "./clock.js";
import { Service } from "./service.js";

/** What the storm throws itself, which is no fault of anybody's. */
export const thrown = () => Object.assign(new Error("storm"), { storm: true });

export const never = () => new Promise(() => {});

export class World {
  clients = [];
  integrations = [];
  controllers = [];
  containers = [];
  keypads = [];
  /** True while the shopper does what may send. */
  isConsenting = false;
  #mended = [];

  static async make(ledger) {
    const world = new World();
    world.ledger = ledger;
    world.sdk = await import("/node_modules/pos-connect/index.js");
    await world.sdk.init();
    world.Keypad = await world.sdk.defineKeypad();
    world.service = new Service({}, {});
    world.storeId = `storm-${crypto.randomUUID()}`;
    for (let made = 0; made < 3; made += 1) world.addContainer();
    await world.addClient({});
    return world;
  }

  async addClient(more) {
    const { origin } = this.service;
    const options = { baseUrl: origin, connectUrl: "https://connect.example/connect", clientId: "till", clientSecret: "hunter2" };
    const all = { ...options, trustedPage: true, storeId: this.storeId, ereceipt: true, ...more };
    const client = await this.ledger.expect("create", this.sdk.PosConnect.create(all)).catch(() => undefined);
    if (client) this.clients.push(client);
    while (this.clients.length > 3) this.clients.shift().destroy();
  }

  addContainer() {
    const container = document.createElement("div");
    document.body.append(container);
    this.containers.push(container);
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
    return controller.signal;
  }

  /** A fault that lasts until it is mended; at most one of a kind. */
  fault(object, name, value) {
    if (this.#mended.some((one) => one.object === object && one.name === name)) return;
    const before = Object.getOwnPropertyDescriptor(object, name);
    // Where everything is frozen, nobody can do that either.
    if (!Reflect.defineProperty(object, name, { __proto__: null, configurable: true, writable: true, value })) return;
    this.#mended.push({ object, name, before });
  }

  mend() {
    for (const { object, name, before } of this.#mended.splice(0)) {
      if (before) Object.defineProperty(object, name, before);
      else delete object[name];
    }
  }

  get shownKeypads() {
    return [...document.querySelectorAll("ereceipt-keypad")].filter((element) => element.shadowRoot?.childElementCount > 0);
  }

  check() {
    const frames = document.querySelectorAll("dialog.pos-connect-dialog");
    if (frames.length > this.clients.length) this.ledger.fail(`${frames.length} connect dialogs of ${this.clients.length} clients`);
    const asked = [...this.shownKeypads].filter((element) => !this.keypads.includes(element));
    if (asked.length > this.clients.length) this.ledger.fail(`${asked.length} keypads of ${this.clients.length} clients`);
  }

  /** Everything is mended and destroyed, and every limit passes. */
  async end() {
    this.mend();
    for (const client of this.clients) client.destroy();
    for (const keypad of this.keypads) keypad.remove();
    this.service.decide("cancelled");
    for (let rounds = 0; rounds < 40 && this.ledger.pending.length > 0; rounds += 1) {
      await advance(5_000);
      // The storage and the locks answer in real time.
      for (let turns = 0; turns < 20; turns += 1) await turn();
    }
    await advance(5_000);
    for (const container of this.containers) container.remove();
  }
}

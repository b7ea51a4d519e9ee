// The real client: the service in the page, its merchant and its shopper do what the script of a case says.
import { PosConnect } from "pos-connect";
import { ACCESS_TOKEN, Service } from "./service.js";
import { results } from "./suite.js";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(is) {
  for (let tries = 0; !is(); tries += 1) {
    if (tries > 400) throw new Error(`never: ${is}`);
    await sleep(25);
  }
}

/** The answers of the service by the codes of a script. */
const ANSWERS = {
  network: { fault: "network" },
  rate_limited: [429],
  invalid_client: [400, "invalid_client"],
  invalid_body: [400, "invalid_member"],
  too_large: [413, "content_too_large"],
  order_exists: [409, "order_exists"],
  too_many_messages: [422, "too_many_messages"],
  server_error: [500],
};

/** What the browser says of its network: a call that nobody answers was made offline. */
let isOnline = true;
Object.defineProperty(navigator, "onLine", { get: () => isOnline });

function answer(outcome) {
  isOnline = outcome !== "network";
  if (outcome === "accepted") return {};
  if (typeof outcome === "object") return { change: outcome };
  const given = ANSWERS[outcome];
  if (!given) throw new Error(`no answer for ${outcome}`);
  if (!Array.isArray(given)) return given;
  const [status, code] = given;
  return { status, body: { success: false, code } };
}

/** Does as the script says, call after call; the last outcome stays. */
class World extends Service {
  #script;

  constructor({ connect, receipts, orders, connection }) {
    super({ create: { interval: 0 } }, {});
    const list = (outcomes, fallback) => [outcomes ?? fallback].flat();
    this.#script = {
      // What is connected at the beginning was connected before.
      connect: [...list(connection, []), ...list(connect, "finished")],
      receipts: list(receipts, "chosen"),
      order: list(orders, "accepted"),
    };
  }

  outcome(name) {
    const outcomes = this.#script[name];
    return outcomes.length > 1 ? outcomes.shift() : outcomes[0];
  }

  next(operation) {
    if (operation === "order") return answer(this.outcome("order"));
    if (operation === "create") return this.#created(this.outcome("connect"));
    if (operation === "token" && this.tokens) return { change: this.tokens };
    return super.next(operation);
  }

  #created(outcome) {
    if (outcome in ANSWERS) return answer(outcome);
    Promise.resolve(outcome).then((end) => this.#merchant(end));
    return {};
  }

  async #merchant(end) {
    if (end === "closed") {
      const close = () => document.querySelector(".pos-connect-close");
      await until(close);
      return close().click();
    }
    this.tokens = typeof end === "object" ? end : undefined;
    // Not before the integration is there.
    await sleep(50);
    this.decide(end === "cancelled" ? "cancelled" : "finished");
  }
}

/** The parts of the keypad that asks. */
const parts = (name) => document.querySelector("ereceipt-keypad")?.shadowRoot?.querySelector(`[part~=${name}]`);

/** At a hand's pace. */
async function shopper(outcome) {
  const button = { chosen: "print", none: "none" }[outcome] ?? "send";
  await until(() => parts(button));
  await sleep(500);
  if (button === "send") {
    for (const key of outcome.replace("+972", "0")) {
      for (const type of ["keydown", "keyup"])
        parts("display").dispatchEvent(new KeyboardEvent(type, { key, bubbles: true, composed: true }));
      await sleep(60);
    }
    await sleep(200);
  }
  parts(button).click();
}

/** A call that may ask, and the shopper who answers. */
function asking(call, world) {
  let isOver = false;
  const over = () => (isOver = true);
  call.then(over, over);
  until(() => isOver || parts("print"))
    .then(() => isOver || world.outcome("receipts"))
    .then((outcome) => isOver || shopper(outcome));
  return call;
}

async function host(script, callbacks) {
  isOnline = true;
  const world = new World(script);
  const create = () =>
    PosConnect.create({
      baseUrl: world.origin,
      connectUrl: `${location.origin}/connect.html`,
      clientId: "till",
      clientSecret: "hunter2",
      trustedPage: true,
      accessToken: () => ACCESS_TOKEN,
      vault: script.isShared ? "indexeddb" : "memory",
      ...callbacks,
    });
  const pos = await create();
  if (script.connection) await pos.connect({ doneSeconds: 0 });
  for (const name of ["receiptFor", "charge"]) {
    const call = pos[name].bind(pos);
    pos[name] = (...given) => asking(call(...given), world);
  }
  return { pos, another: create, until, end: () => pos.destroy() };
}

document.body.dataset.result = JSON.stringify(await results(host));

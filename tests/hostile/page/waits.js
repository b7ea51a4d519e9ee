// What never answers, and what throws where nobody expects it: every wait has an end.
import { broken, throwing } from "./replaced.js";
import * as tools from "./tools.js";

const { consent, equal, eventually, fails, frames, keypad, load, part, resolves, sleep, till } = tools;

/** Long timers are over thirty times as soon. */
function hurry() {
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...more) => setTimeout(run, ms >= 30_000 ? ms / 30 : ms, ...more);
}

/** Without a time limit, a wait might have no end: so there is none without a timer. */
export async function timers_that_throw_end_the_call() {
  const { PosConnect } = await load();
  const { service, options } = till();
  // The storage has a limit of its own: there it is `vault_failed`.
  const kept = await PosConnect.create(options);
  const vault = "memory";
  const pos = await PosConnect.create({ ...options, vault, ereceipt: true, accessToken: () => "token" });
  const integration = await pos.createIntegration();
  const sent = service.requests.length;
  for (const name of ["setTimeout", "setInterval"]) {
    const real = window[name];
    window[name] = throwing(real);
    const error = await fails(pos.connect(), "unsupported_browser");
    equal(error.cause, broken);
    equal(error.message.includes("timers"), true, error.message);
    equal(document.querySelectorAll("iframe, dialog").length, 0);
    const receipt = await resolves(pos.receiptFor({ orderId: "1", region: "IL" }));
    equal([receipt.kind, keypad()].join(), "print,");
    if (name === "setTimeout") {
      await fails(kept.createIntegration(), "vault_failed");
      equal((await fails(integration.waitUntilDone(), "unsupported_browser")).cause, broken);
      equal((await fails(pos.storeProfile(), "unsupported_browser")).cause, broken);
    }
    window[name] = real;
  }
  equal(service.requests.length, sent, "nothing was sent without a limit");
  const flow = pos.connect();
  // Beside the one above, which stays undecided until there are two.
  await consent(service, 2);
  await resolves(flow);
}

export async function signals_whose_getter_throws_end_what_waits() {
  const { PosConnect } = await load();
  const { options } = till();
  const pos = await PosConnect.create(options);
  const flow = pos.connect();
  await eventually(() => frames().length > 0);
  const { get } = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted");
  Object.defineProperty(AbortSignal.prototype, "aborted", { configurable: true, get: throwing(get) });
  await fails(pos.createIntegration(), "destroyed");
  pos.destroy();
  await fails(flow, "destroyed");
  equal(frames().length, 0);
  Object.defineProperty(AbortSignal.prototype, "aborted", { configurable: true, get });
}

/** 8 s, before the call's own 10 s: nothing was sent. */
export async function what_the_page_adds_to_a_call_has_a_limit() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const never = () => new Promise(() => {});
  const [headers, token] = await Promise.all([
    PosConnect.create({ ...options, headers: never }),
    PosConnect.create({ ...options, accessToken: never }),
  ]);
  const failed = await Promise.all([
    fails(headers.createIntegration(), "headers_failed"),
    fails(token.storeProfile(), "access_token_failed"),
  ]);
  equal(failed.map((error) => error.retryable).join(), "true,true");
  equal(service.requests.length, 0);
}

export async function a_lock_that_is_never_given_is_an_error_for_now() {
  hurry();
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create(options);
  const { request } = navigator.locks;
  LockManager.prototype.request = () => new Promise(() => {});
  const flow = pos.connect();
  await consent(service);
  const error = await fails(flow, "vault_failed");
  equal(error.retryable, true);
  LockManager.prototype.request = request;
  equal((await resolves(pos.connect())).accessToken.length > 0, true, "the next call has them");
  equal(service.requests.filter(({ operation }) => operation === "create").length, 1);
}

export async function tokens_that_the_storage_would_not_take_keep_nobody_waiting() {
  hurry();
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create(options);
  const other = await PosConnect.create(options);
  const { put } = IDBObjectStore.prototype;
  const integration = await pos.createIntegration();
  const left = await other.resume();
  const asTaken = service.fetch.bind(service);
  service.fetch = async (request) => {
    const response = await asTaken(request);
    if (request.url.includes("/token")) {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    }
    return response;
  };
  service.decide("finished");
  equal((await resolves(integration.fetchTokens())).accessToken.length > 0, true);
  await fails(left.fetchTokens(), "vault_failed");
  await fails(other.forget(), "vault_failed");
  equal(integration.integrationToken.length > 0, true, "it holds the tokens, and the lock on them");
  IDBObjectStore.prototype.put = put;
  pos.destroy();
  other.destroy();
}

export async function random_numbers_that_throw() {
  const { PosConnect } = await load();
  const { options } = till({ create: { reissue: true } });
  const pos = await PosConnect.create(options);
  crypto.getRandomValues = () => {
    throw new Error("no entropy");
  };
  await fails(pos.connect(), "vault_failed");
  equal(document.querySelectorAll("iframe, dialog").length, 0);
}

export async function clocks_that_throw() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const { now } = performance;
  const dateNow = Date.now;
  const pos = await PosConnect.create(options);
  performance.now = throwing(now.bind(performance));
  Date.now = throwing(dateNow);
  const flow = pos.connect();
  await consent(service);
  await resolves(flow);
  performance.now = now;
  Date.now = dateNow;
}

export async function an_onSend_that_never_settles_leaves_nothing() {
  const memories = [];
  const { instantiate, instantiateStreaming } = WebAssembly;
  const noted = async (made) => (memories.push((await made).instance.exports.memory), made);
  WebAssembly.instantiate = (...given) => noted(instantiate(...given));
  WebAssembly.instantiateStreaming = (...given) => noted(instantiateStreaming(...given));
  const { PosConnect } = await load();
  const pos = await PosConnect.create({ ...till().options, ereceipt: true });
  equal(memories.length, 1);
  const bytes = () => memories[0].buffer.byteLength;
  const order = async (count) => {
    for (let done = 0; done < count; done += 1) {
      const asked = pos.receiptFor({
        orderId: `${done}`,
        region: "IL",
        prefill: "+972502345678",
        onSend: () => new Promise(() => {}),
      });
      while (!tools.part("send")) await new Promise((resolve) => setTimeout(resolve));
      tools.part("send").click();
      tools.part("print").click();
      equal((await resolves(asked)).reason, "chosen");
    }
  };
  await order(150);
  await sleep(600); // The last keys' guard.
  // What is left of each order would make every part grow. On a machine that becomes faster, more keypads than before
  // still have their guard at the same moment, and that makes it grow once.
  const grown = [];
  for (let part = 0; part < 3; part += 1) {
    const before = bytes();
    await order(200);
    grown.push(bytes() - before);
  }
  equal(Math.min(...grown), 0, `bytes of memory, in parts: ${grown}`);
}

export async function a_lock_that_nobody_waits_for_any_more_is_not_asked_for() {
  hurry();
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create(options);
  const integration = await pos.createIntegration();
  service.decide("finished");
  const purpose = "pos-connect pick-up ";
  const { request } = navigator.locks;
  // Another tab is at it, and takes its time.
  let over;
  const held = new Promise((resolve) => (over = resolve));
  let asking;
  const id = await new Promise((known) => {
    LockManager.prototype.request = function (asked, ...more) {
      if (!asked.startsWith(purpose)) return request.call(this, asked, ...more);
      LockManager.prototype.request = request;
      const first = request.call(this, asked, () => (known(asked), held));
      return Promise.race([first, request.call(this, asked, ...more)]);
    };
    asking = integration.fetchTokens();
  });
  const waiting = async () => (await navigator.locks.query()).pending.filter((lock) => lock.name === id).length;
  for (let tries = 0; tries < 50 && (await waiting()) === 0; tries += 1) await sleep(50);
  equal(await waiting(), 1, "it waits");
  await fails(asking, "vault_failed");
  equal(await waiting(), 0, "it does not wait any more");
  over();
  equal((await resolves(integration.fetchTokens())).accessToken.length > 0, true);
}

export async function an_outbox_that_waits_for_its_turn_ends_with_its_object() {
  const { PosConnect } = await load();
  const { request } = navigator.locks;
  // Another tab sends an order, and nobody answers it.
  let over;
  const held = new Promise((resolve) => (over = resolve));
  let creating;
  const name = await new Promise((known) => {
    LockManager.prototype.request = function (asked, ...more) {
      if (!asked.startsWith("pos-connect outbox ")) return request.call(this, asked, ...more);
      LockManager.prototype.request = request;
      request.call(this, asked, () => (known(asked), held));
      return request.call(this, asked, ...more);
    };
    creating = PosConnect.create(till().options);
  });
  const pos = await creating;
  const waiting = async () => (await navigator.locks.query()).pending.filter((lock) => lock.name === name).length;
  for (let tries = 0; tries < 50 && (await waiting()) === 0; tries += 1) await sleep(50);
  equal(await waiting(), 1, "it waits");
  pos.destroy();
  for (let tries = 0; tries < 50 && (await waiting()) > 0; tries += 1) await sleep(50);
  equal(await waiting(), 0, "it does not wait any more");
  over();
}

export async function a_resume_that_is_destroyed_while_it_clears_up() {
  const { PosConnect } = await load();
  const { options } = till();
  const { now } = Date;
  const before = await PosConnect.create(options);
  Date.now = () => now() - 400 * 86_400_000;
  await before.createIntegration();
  Date.now = now;
  await before.createIntegration();
  before.destroy();
  const pos = await PosConnect.create(options);
  const erase = IDBObjectStore.prototype.delete;
  IDBObjectStore.prototype.delete = function (...keys) {
    pos.destroy();
    return erase.apply(this, keys);
  };
  await fails(pos.resume(), "destroyed");
  IDBObjectStore.prototype.delete = erase;
}

export async function elements_that_cannot_be_closed_or_removed() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create({ ...options, ereceipt: true });
  const boom = () => {
    throw new Error("patched");
  };
  const { close } = HTMLDialogElement.prototype;
  const { remove } = Element.prototype;
  HTMLDialogElement.prototype.close = boom;
  Element.prototype.remove = boom;
  const flow = pos.connect();
  await consent(service);
  equal((await resolves(flow)).accessToken.length > 0, true);
  equal(frames().length, 0, "the frame went all the same");
  const order = pos.receiptFor({ orderId: "1", region: "IL" });
  await eventually(() => part("print"));
  part("print").click();
  equal((await resolves(order)).kind, "print");
  equal(keypad(), null);
  HTMLDialogElement.prototype.close = close;
  Element.prototype.remove = remove;
}

export async function key_events_whose_members_throw() {
  const { PosConnect } = await load();
  const { options } = till();
  const pos = await PosConnect.create({ ...options, ereceipt: true });
  const order = pos.receiptFor({ orderId: "1", region: "IL" });
  await eventually(() => part("display"));
  for (const name of ["key", "code", "repeat", "ctrlKey", "detail", "isComposing"]) {
    const event = new KeyboardEvent("keydown", { key: "5", bubbles: true, cancelable: true, composed: true });
    Object.defineProperty(event, name, {
      get: () => {
        throw new Error("patched");
      },
    });
    part("display").dispatchEvent(event);
  }
  part("print").click();
  equal((await resolves(order)).kind, "print");
}

export async function an_element_that_stands_in_the_page_can_be_asked_after_init() {
  const element = document.createElement("ereceipt-keypad");
  document.body.append(element);
  equal(element.ask, undefined, "before init() it is a plain element");
  const { init } = await load();
  await init();
  const order = element.ask({ orderId: "1", region: "IL" });
  await eventually(() => part("print"));
  part("print").click();
  equal((await resolves(order)).kind, "print");
}

export async function a_page_with_an_element_of_that_name_keeps_it() {
  class Theirs extends HTMLElement {}
  customElements.define("ereceipt-keypad", Theirs);
  const { init, defineKeypad } = await load();
  await init();
  equal(customElements.get("ereceipt-keypad"), Theirs);
  await fails(defineKeypad(), "invalid_option");
}

// What never answers: every wait has an end.
import { advance, time } from "./clock.js";
import * as tools from "./tools.js";

const { consent, equal, eventually, fails, load, part, resolves, stillPending, till } = tools;

/** So long a call waits for a lock. */
const LOCK_MS = 150_000;
/** After this, the keys that ended a keypad are the till's again. */
const GUARD_MS = 600;
/** So much later than it happens, a case may see it: the clock is hurried. */
const LATE_MS = 30_000;

/** What waits since a moment ago for a lock does so for {@link LOCK_MS}. */
async function failsByLock(promise) {
  await advance(LOCK_MS - LATE_MS);
  await stillPending(promise);
  await advance(LATE_MS);
  return fails(promise, "vault_failed");
}

const PICK_UP = "pos-connect pick-up ";

/** How many wait for locks of names that begin so, in all tabs. */
const waiting = async (begin) =>
  (await navigator.locks.query()).pending.filter(({ name }) => name.startsWith(begin)).length;

/** Resolves once so many do. */
const wait = (count, begin) => eventually(async () => (await waiting(begin)) === count);

/** 8 s, before the call's own 10 s: nothing was sent. */
export async function what_the_page_adds_to_a_call_has_a_limit() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const asked = [];
  const never = () => (asked.push(time()), new Promise(() => {}));
  const [headers, token] = await Promise.all([
    PosConnect.create({ ...options, headers: never }),
    PosConnect.create({ ...options, accessToken: never }),
  ]);
  const failed = await Promise.all([
    fails(headers.createIntegration(), "headers_failed"),
    fails(token.store.get(), "access_token_failed"),
  ]);
  const ms = time() - asked.at(-1);
  equal(ms >= 8_000 && ms < 9_000, true, `${ms} ms`);
  equal(failed.map((error) => error.retryable).join(), "true,true");
  equal(service.requests.length, 0);
}

export async function a_lock_that_is_never_given_is_an_error_for_now() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create(options);
  const { request } = navigator.locks;
  let isAsked = false;
  LockManager.prototype.request = () => ((isAsked = true), new Promise(() => {}));
  const flow = pos.connect();
  await consent(service);
  await eventually(() => isAsked);
  const error = await failsByLock(flow);
  equal(error.retryable, true);
  LockManager.prototype.request = request;
  equal((await resolves(pos.connect())).accessToken.length > 0, true, "the next call has them");
  equal(service.requests.filter(({ operation }) => operation === "create").length, 1);
}

export async function tokens_that_the_storage_would_not_take_keep_nobody_waiting() {
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
  for (const call of [() => left.fetchTokens(), () => other.forget()]) {
    const asking = call();
    await wait(1, PICK_UP);
    await failsByLock(asking);
  }
  equal(integration.integrationToken.length > 0, true, "it holds the tokens, and the lock on them");
  IDBObjectStore.prototype.put = put;
  pos.destroy();
  other.destroy();
}

export async function an_onSend_that_never_settles_leaves_nothing() {
  // wasm-bindgen registers each function that it makes of Rust's, and unregisters it when Rust drops it.
  const functions = new Set();
  window.FinalizationRegistry = class {
    register = (made, held, token) => void functions.add(token);
    unregister = (token) => functions.delete(token);
  };
  const { PosConnect } = await load();
  const pos = await PosConnect.create({ ...till().options, ereceipt: true });
  const order = async (orderId) => {
    const asked = pos.receiptFor({
      orderId,
      region: "IL",
      prefill: "+972502345678",
      onSend: () => new Promise(() => {}),
    });
    await eventually(() => part("send"));
    part("send").click();
    part("print").click();
    equal((await resolves(asked)).reason, "chosen");
    await advance(GUARD_MS);
  };
  await order("first");
  const before = functions.size;
  equal(before > 0, true, "it has functions of its own");
  for (let count = 0; count < 50; count += 1) await order(`${count}`);
  await eventually(() => functions.size <= before);
}

export async function a_lock_that_nobody_waits_for_any_more_is_not_asked_for() {
  const { PosConnect } = await load();
  const { service, options } = till();
  const pos = await PosConnect.create(options);
  const integration = await pos.createIntegration();
  service.decide("finished");
  const { request } = navigator.locks;
  // Another tab is at it, and takes its time.
  let over;
  const held = new Promise((resolve) => (over = resolve));
  let asking;
  await new Promise((known) => {
    LockManager.prototype.request = function (asked, ...more) {
      if (!asked.startsWith(PICK_UP)) return request.call(this, asked, ...more);
      LockManager.prototype.request = request;
      const first = request.call(this, asked, () => (known(), held));
      return Promise.race([first, request.call(this, asked, ...more)]);
    };
    asking = integration.fetchTokens();
  });
  await wait(1, PICK_UP);
  await failsByLock(asking);
  await wait(0, PICK_UP);
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
  await wait(1, name);
  pos.destroy();
  await wait(0, name);
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

// What befalls a page in a storm: what it removes and moves itself, and what fails around it.
import { time } from "./clock.js";
import { never } from "./world.js";

/** Whoever says so is taken for the service, though it keeps nothing. */
async function claims(world, request) {
  const isOrder = request.method === "POST" && request.url.endsWith("/v1/orders");
  if (isOrder) world.book.mayBeGone((await request.json()).externalId);
  return new Response('{"success":true}');
}

export const WEATHER = [
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
    name: "offline",
    weight: 2,
    run: (world) => world.fault(world.service, "fetch", () => Promise.reject(new TypeError("Failed to fetch"))),
  },
  {
    name: "the browser says that it is offline",
    weight: 1,
    run: (world) => {
      world.fault(Navigator.prototype, "onLine", false);
      dispatchEvent(new Event("offline"));
    },
  },
  { name: "the browser says that it is online", weight: 1, run: () => void dispatchEvent(new Event("online")) },
  {
    name: "a storage that hangs",
    weight: 0.5,
    run: (world, roll) => {
      world.book.storageFails();
      const [Kind, name] = roll.one([
        [IDBRequest, "onsuccess"],
        [IDBTransaction, "oncomplete"],
      ]);
      world.deafen(Kind.prototype, name);
    },
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
    run: (world) => {
      world.book.storageFails();
      world.fault(IDBObjectStore.prototype, "put", () => {
        throw new DOMException("full", "QuotaExceededError");
      });
    },
  },
  {
    name: "no locks",
    weight: 1,
    run: (world, roll) => {
      world.book.storageFails();
      world.fault(
        LockManager.prototype,
        "request",
        roll.one([() => never(), () => Promise.reject(new DOMException("no", "SecurityError"))]),
      );
    },
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

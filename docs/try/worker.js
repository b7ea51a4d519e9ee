// The simulation's service worker. It gives the till its files, also offline, and answers in the place of the relay and
// of the till's own server. xtask/js/simulation.mjs bundles it, and puts in the list of all files and their hash.
import { fakeService } from "pos-connect/testing";
import { receiptPage } from "./receipt.js";

const CACHE = `pos-connect-try ${VERSION}`;
/** Outlives the files, and this worker, which a browser ends when nobody has called for a while. */
const STATE = ["pos-connect-try-state", "state.json"];
const root = new URL("./", location.href).href;
const till = `${root}till/`;
const options = { baseUrl: `${till}relay`, connectUrl: `${till}connect` };
const KEY = "simulated-till";
const SETTINGS = {
  ...options,
  clientId: "till",
  tillKey: KEY,
  account: { email: "pat@bakery.example", password: "any will do" },
};
const UNAUTHORIZED = { success: false, code: "unauthorized", title: "Unknown till key", status: 401 };

let started, kept;
const service = () => (started ??= start());

async function start() {
  const left = await (await caches.open(STATE[0])).match(STATE[1]);
  return fakeService({ ...options, receiptUrl: null, connect: "pending", state: await left?.json() });
}

async function keep({ state }) {
  const text = JSON.stringify(state);
  if (text === kept) return;
  kept = text;
  await (await caches.open(STATE[0])).put(STATE[1], new Response(text));
}

/** The text messages that would be on shoppers' phones, as the till's own server would tell them. */
const messages = ({ state }) =>
  state.orders
    .filter(([, { record }]) => record.ereceipt)
    .map(([id]) => ({ id, locale: "en", text: `Your receipt: ${till}receipt/${encodeURIComponent(id)}` }));

async function simulated(request, path) {
  const fake = await service();
  if (path === "demo.json") return Response.json(SETTINGS);
  if (path === "messages.json") return Response.json(messages(fake));
  if (path.startsWith("receipt/")) {
    const id = decodeURIComponent(path.slice("receipt/".length));
    const [, known] = fake.state.orders.find(([externalId]) => externalId === id) ?? [];
    return receiptPage(known?.record.order, fake.state);
  }
  const isCall = path.startsWith("relay/");
  if (isCall && request.headers.get("authorization") !== `Bearer ${KEY}`)
    return Response.json(UNAUTHORIZED, { status: UNAUTHORIZED.status });
  const response = await fake.fetch(request);
  await keep(fake);
  return response;
}

const SIMULATED = /^(?:demo\.json|messages\.json|receipt\/.*|relay\/.*|connect)$/;

async function answer(request) {
  const url = new URL(request.url);
  const path = url.href.startsWith(till) ? url.href.slice(till.length).split(/[?#]/, 1)[0] : null;
  // A page of the till in a window of its own gets the frame that says what it is. The connect page says it by itself.
  if (path !== null && path !== "connect" && request.destination === "document")
    return Response.redirect(`${root}?page=${encodeURIComponent(url.href.slice(till.length))}`);
  if (path !== null && SIMULATED.test(path)) return simulated(request, path);
  const file = url.origin + url.pathname.replace(/\/$/, "/index.html");
  return (await (await caches.open(CACHE)).match(file)) ?? fetch(request);
}

async function install() {
  await (await caches.open(CACHE)).addAll(FILES.map((file) => new Request(root + file, { cache: "reload" })));
  await skipWaiting();
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith("pos-connect-try ") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  if (event.request.url.startsWith(root)) event.respondWith(answer(event.request));
});

// Where a number may be left: each place gives a list of { place, where }.
import { holds, holdsPart, randomNumber } from "./digits.js";
import * as memory from "./memory.js";
import { passedNodes, recorded } from "./recorders.js";
import { ofAttributes, ofNode, ofOne, texts } from "./texts.js";

const STATICS = ["input", "$_", "lastMatch", "$&", "lastParen", "$+", "leftContext", "$`", "rightContext", "$'"];
for (let group = 1; group <= 9; group += 1) STATICS.push(`$${group}`);

/** Sets them to what is known. Between this and `statics` nothing of the tests' own may run a RegExp. */
export const arm = () => /(c)(a)(n)(a)(r)(y)(x)(y)(z)/.test("a canaryxyz sings");

/** What the page can read of the last RegExp that ran, whoever ran it. */
export function statics(number) {
  const left = STATICS.filter((name) => holdsPart(String(RegExp[name]), number));
  return left.map((name) => ({ place: "RegExp", where: `RegExp.${name}` }));
}

const nodes = new Set();

/** Keeps hold of all nodes of the keypad, as a page could. */
export function keep(root) {
  nodes.add(root);
  const walker = document.createTreeWalker(root);
  while (walker.nextNode()) nodes.add(walker.currentNode);
}

/** While the number is shown: only the keypad's own texts may say it. */
export function outsideKeypad(number, root) {
  const elements = [...document.querySelectorAll("*")];
  const children = elements.flatMap((element) => [...element.childNodes]);
  const light = children.filter((node) => node.nodeType === Node.TEXT_NODE);
  const carriers = [...elements, ...(root?.querySelectorAll("*") ?? [])].flatMap(ofAttributes);
  const found = [...light.map((node) => node.data), ...carriers].filter((text) => holds(text, number));
  return found.map(() => ({ place: "DOM", where: "beside the keypad's own texts" }));
}

const ownGlobals = new Set(Object.getOwnPropertyNames(globalThis));
const newGlobals = () => Object.getOwnPropertyNames(globalThis).filter((name) => !ownGlobals.has(name));

function dom(number) {
  const page = {
    document: ofNode(document),
    "a node that was kept": [...nodes, ...passedNodes()].flatMap(ofOne),
    address: [location.href, document.title, document.referrer, window.name, ...texts(history.state)],
    selection: [String(getSelection())],
    globals: newGlobals().flatMap((name) => [name, ...texts(globalThis[name])]),
    "performance entries": performance.getEntries().map((entry) => entry.name),
  };
  const found = Object.entries(page).filter(([, said]) => said.some((text) => holds(text, number)));
  return found.map(([where]) => ({ place: "DOM", where }));
}

/** What is kept in this browser, but for what is encrypted. */
async function storage(number) {
  const kept = {
    localStorage: texts({ ...localStorage }),
    sessionStorage: texts({ ...sessionStorage }),
    cookies: [document.cookie],
    IndexedDB: await databases(),
    caches: await cached(),
  };
  const found = Object.entries(kept).filter(([, said]) => said.some((text) => holds(text, number)));
  return found.map(([where]) => ({ place: "storage", where }));
}

async function databases() {
  const found = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const objects = database.transaction(store).objectStore(store);
      found.push(name, store, ...texts(await done(objects.getAllKeys())), ...texts(await done(objects.getAll())));
    }
    database.close();
  }
  return found;
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function cached() {
  const found = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      found.push(name, request.url, await (await cache.match(request)).text());
    }
  }
  return found;
}

/** The module's memory; `where` is how the number is written there. */
export const inMemory = (number) => memory.found(number).map((where) => ({ place: "memory", where }));

/** The places that can be looked at at once, without the RegExp statics: those are read after each step. */
export function atOnce(number) {
  const said = recorded().filter(({ text }) => holds(text, number));
  return [...dom(number), ...said.map(({ place, where }) => ({ place, where }))];
}

export const everywhere = async (number) => [...inMemory(number), ...atOnce(number), ...(await storage(number))];

/** The nodes of the last ask are not kept any longer. */
export const letGo = () => nodes.clear();

/** A number that is nowhere yet: what is found later, the package has put there. */
export function freshNumber(region) {
  for (;;) {
    const number = randomNumber(region);
    if (inMemory(number).length + atOnce(number).length === 0) return number;
  }
}

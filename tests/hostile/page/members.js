// What a page, its libraries or a browser's extension have replaced, and what throws whenever the package touches it.
import { broken, counts, throwing } from "./replaced.js";
import { equal, forgive, keypad, load, part, settled, sleep, till } from "./tools.js";

const REPLACED = [
  [Document, "activeElement body createElement createTextNode defaultView documentElement visibilityState"],
  [Node, "appendChild contains firstChild hasChildNodes isConnected ownerDocument parentElement parentNode"],
  [Node, "removeChild textContent"],
  [Element, "childElementCount className getAttribute id shadowRoot"],
  [HTMLElement, "focus hidden style tabIndex title"],
  [CSSStyleDeclaration, "cssText setProperty"],
  [HTMLIFrameElement, "contentWindow name referrerPolicy src"],
  [HTMLDialogElement, "close open showModal"],
  [HTMLAnchorElement, "href rel target"],
  [HTMLButtonElement, "type"],
  [CharacterData, "data"],
  [Event, "preventDefault stopImmediatePropagation stopPropagation target timeStamp"],
  [Response, "headers ok status text"],
  [AbortController, "abort"],
  [AbortSignal, "aborted reason"],
  [BroadcastChannel, "close postMessage"],
  [Navigator, "language onLine"],
  [URL, "href origin protocol search"],
];

function replace(object, name) {
  const real = Object.getOwnPropertyDescriptor(object, name);
  const kinds = ["get", "set", "value"].filter((kind) => typeof real[kind] === "function");
  const thrown = Object.fromEntries(kinds.map((kind) => [kind, throwing(real[kind])]));
  Object.defineProperty(object, name, { ...real, ...thrown });
  return () => Object.defineProperty(object, name, real);
}

/** A call that fails says so with an error of the package's, and nobody waits for ever. */
export async function members_that_throw_keep_nobody_waiting() {
  // What a button or a timer of the package's throws is an uncaught error of the page's; a trap of the module is not.
  forgive(broken.message);
  const { PosConnect, PosConnectError } = await load();
  const touched = [];
  for (const [Class, names] of REPLACED)
    for (const name of names.split(" ")) {
      const what = `${Class.name}.${name}`;
      const { service, options } = till();
      const pos = await PosConnect.create({ ...options, vault: "memory", ereceipt: true });
      const restore = replace(Class.prototype, name);
      const before = counts.thrown;
      const flow = settled(pos.connect());
      await sleep(30);
      service.decide("finished");
      const receipt = settled(pos.receiptFor({ orderId: "1", region: "IL" }), 3000);
      for (let tries = 0; tries < 20 && !part("print"); tries += 1) await sleep(5);
      part("print")?.click();
      if ((await Promise.race([receipt, sleep(300)])) === undefined) {
        // The button could not tell what was pressed: the keypad lives, and tells once it can.
        restore();
        part("print")?.click();
      }
      const printed = await receipt;
      try {
        pos.destroy();
      } catch (thrown) {
        equal(thrown, broken, what);
      }
      restore();
      if (counts.thrown > before) touched.push(what);
      equal(printed.value?.kind, "print", `${what}: the receipt: ${printed.error ?? printed}`);
      // What could not be ended while it threw, ends now.
      pos.destroy();
      const { error, value } = await flow;
      equal(error instanceof PosConnectError || typeof value?.accessToken === "string", true, `${what}: ${error}`);
      for (const left of document.querySelectorAll("iframe, dialog, ereceipt-keypad")) left.remove();
      equal(keypad(), null, what);
    }
  equal(touched.length >= 40, true, `the package has touched ${touched.length}: ${touched.join()}`);
}

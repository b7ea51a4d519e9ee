// A page, or an attacker who found a hole in one of its libraries, puts members on Object.prototype.
import * as tools from "./tools.js";

const { equal, own, resolves } = tools;

/**
 * What the package's own objects have: all that its types name, what the browser is given, and what the vault keeps.
 */
async function names() {
  const types = await (await fetch("/node_modules/pos-connect/index.d.ts")).text();
  const named = [...types.matchAll(/\b([a-z]\w*)\??:/g)].map(([, name]) => name);
  const given =
    "method headers redirect credentials cache referrerPolicy signal body mode preventScroll durability keyPath";
  const kept = `id iv sealed release key externalId body hasEreceipt tries next isAsked asked at token interval expiresIn
expires_in code pickup unanswered over told held handed isLost`;
  const wire =
    "integrationToken accessToken refreshToken expiration ereceipt account name status success toJSON hash length";
  const all = new Set([...named, ...`${given} ${kept} ${wire}`.split(/\s+/)]);
  // The browser's own promises and descriptors go by these, as far as they can be called.
  return [...all].filter(
    (name) => !["get", "set", "constructor", "writable", "enumerable", "configurable"].includes(name),
  );
}

/** Runs `during` while each name has that descriptor on Object.prototype. */
async function polluted(names, describe, during) {
  const all = names.filter((name) => !(name in Object.prototype));
  for (const name of all) {
    Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true, ...describe(name) });
  }
  try {
    return await during();
  } finally {
    for (const name of all) delete Object.prototype[name];
  }
}

/** The whole way of a till: connect, the record, what a reload finds, a receipt, a number, an order, an error. */
async function flow(describe) {
  const sdk = await tools.load();
  await sdk.init();
  await sdk.defineKeypad();
  const { options } = tools.till();
  const all = await names();
  // The page's own code, which reads inherited members, stays out of it.
  const real = window.fetch;
  // A `Request` reads its options as the browser's own `fetch` does: inherited ones, too.
  window.fetch = async (url, init) => answered(new Request(url, init));
  await polluted(all, describe, async () => {
    const pos = await resolves(sdk.PosConnect.create(options));
    const tokens = await resolves(pos.connect());
    equal(own(tokens, "accessToken"), "access");
    equal(own(tokens, "refreshToken"), "refresh");
    equal(own(tokens, "held"), false);
    equal(own(tokens, "ereceipt"), true);
    equal(own(own(tokens, "account"), "name"), "Demo Bakery");
    const connection = await resolves(pos.connection());
    equal(own(connection, "ereceipt"), true);
    equal(own(own(connection, "account"), "id"), "a-1");
    const left = await resolves((await resolves(sdk.PosConnect.create(options))).resume());
    equal(own(await resolves(left.fetchTokens()), "accessToken"), "access");
    const asked = pos.receiptFor({
      orderId: "7",
      region: "IL",
      onSend: (receipt) => equal(own(receipt, "phone"), "+972502345678"),
    });
    await tools.type(tools.NUMBER);
    await tools.sleep(500);
    tools.press("Enter", tools.part("display"));
    const receipt = await resolves(asked);
    equal(own(receipt, "kind"), "ereceipt");
    equal(own(own(receipt, "consent"), "locale"), "en");
    equal(own(sdk.parsePhone(tools.NUMBER, { region: "IL" }), "e164"), "+972502345678");
    const line = { name: "Bread", quantity: 1, amount: 5 };
    const order = { externalId: "7", time: "2026-11-23T10:30:00Z", currency: "ILS", total: 5, lines: [line] };
    const sent = await resolves(pos.sendOrder(order, { receipt }));
    equal(own(sent, "state"), "accepted");
    equal(own(sent, "externalId"), "7");
    equal((await resolves(pos.outbox())).length, 0);
    const error = await tools.fails(pos.connect({ zzz: 1 }), "invalid_option");
    equal(own(error, "operation"), "connect");
    await resolves(pos.forget());
    equal(await resolves(pos.connection()), null);
    pos.destroy();
  });
  window.fetch = real;
}

/** A service whose answers are texts, which no prototype reaches. */
function answered({ url, method }) {
  const path = new URL(url).pathname;
  if (path.endsWith("/connection")) return new Response('{"success":false,"code":"not_connected"}', { status: 404 });
  if (method === "POST") return new Response('{"success":true,"integrationToken":"itk","interval":1}');
  if (method === "DELETE") return new Response("{}");
  if (!path.endsWith("/token")) return new Response('{"success":true,"status":"finished"}');
  return new Response(
    '{"success":true,"accessToken":"access","refreshToken":"refresh","expiration":"2031-05-06T07:08:09Z",' +
      '"ereceipt":true,"account":{"id":"a-1","name":"Demo Bakery"}}',
  );
}

export const members_that_are_read_only = () => flow(() => ({ value: "polluted" }));
export const functions = () =>
  flow((name) => (name === "then" ? { value: 7 } : { value: () => undefined, writable: true }));

// The service of `pos-connect/testing` over HTTP, as a reference for the kit: what it leaves out is the vendor's proof.
import { createServer } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { fakeService } = await import(pathToFileURL(`${process.env.POS_PACKAGE_DIR}/testing/index.js`));

export const VENDOR = { clientId: "till", clientSecret: "s3cret-of-the-reference" };
export const OTHER = { clientId: "another-till", clientSecret: "s3cret-of-another" };

const refusal = (status) => Response.json({ success: false }, { status });

/**
 * Serves it. `mutant` stands before it: `(call, next) => Response`, where `call` is `{ method, path, query }`, and
 * `next` answers a call as the specification says.
 */
export async function startReference(mutant = (call, next) => next(call), vendor = VENDOR) {
  let service;
  const next = async ({ method, path, query }) => {
    const { client_id, client_secret } = query;
    // It has no integrations.
    if (client_id === OTHER.clientId) return refusal(403);
    if (client_id !== vendor.clientId) return refusal(400);
    if (client_secret !== vendor.clientSecret) return refusal(403);
    return service.fetch(`${service.options.baseUrl}${path}?${new URLSearchParams(query)}`, { method });
  };
  const server = createServer(async (incoming, outgoing) => {
    const { pathname: path, searchParams } = new URL(incoming.url, service.options.baseUrl);
    const call = { method: incoming.method, path, query: Object.fromEntries(searchParams) };
    const page = () => service.fetch(`${service.options.connectUrl}?${searchParams}`);
    await text(incoming);
    const response = await mutant(call, path === "/connect" ? page : next);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const connectUrl = `${baseUrl}/connect`;
  service = fakeService({ baseUrl, connectUrl, connect: Array(20).fill("pending") });
  /** The merchant: presses the button that the page has. */
  const consent = async ({ url, decision, ereceipts }) => {
    const body = new URLSearchParams({ action: decision, ereceipts: ereceipts ? "yes" : "no" });
    await service.fetch(url, { method: "POST", body });
  };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { settings: { baseUrl, connectUrl, vendor, other: OTHER, patience: 20, consent }, stop };
}

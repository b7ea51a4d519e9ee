// A merchant without a browser: fills in the connect page's forms as a person would, from what stands in the HTML.

/**
 * Opens the connect page of an integration, signs in, and presses Connect or Cancel.
 * @param settings what `serve --demo --json` printed
 * @param {URLSearchParams} wishes `integration_token`; `decision`: "connect" (default) or "cancel"; `ereceipts`: any
 *   value for yes; `store`: which of the stores, from 0
 */
export async function decide(settings, wishes) {
  const url = new URL(settings.connectUrl);
  url.searchParams.set("integration_token", wishes.get("integration_token"));
  url.searchParams.set("client_id", settings.clientId);
  let page = await read(await fetch(url));
  if (wishes.get("decision") === "cancel") return submit(settings, page, { action: "cancel" });
  page = await submit(settings, page, { action: "sign-in", ...settings.account });
  const wanted = wishes.has("ereceipts") ? { ereceipts: "on" } : {};
  const store = page.stores[Number(wishes.get("store"))];
  return submit(settings, page, { action: "connect", ...(store && { store }), ...wanted });
}

async function submit(settings, page, values) {
  const fields = new URLSearchParams({ ...page.fields, ...values });
  const origin = new URL(settings.connectUrl).origin;
  return read(await fetch(settings.connectUrl, { method: "POST", body: fields, headers: { origin } }));
}

async function read(response) {
  const html = await response.text();
  const fields = {};
  const stores = [];
  for (const [tag] of html.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
    const [kind, name] = [attribute("type"), attribute("name")];
    if (name === "store") stores.push(attribute("value"));
    else if (kind === "hidden" || (kind === "radio" && /\bchecked\b/.test(tag))) fields[name] = attribute("value");
  }
  const state = /data-page="([^"]*)"/.exec(html)?.[1];
  if (!state) throw new Error(`the connect page answered ${response.status} without a state`);
  return { state, status: response.status, fields, stores };
}

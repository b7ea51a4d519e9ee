// The page behind the link of a simulated message.
const CHARACTERS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const plain = (text) => String(text).replace(/[&<>"]/g, (character) => CHARACTERS[character]);

/** @param order as the till sent it; without one, the page says so */
export function receiptPage(order, { connection, merchant }) {
  const seller = merchant.profile.name ?? connection?.account.name ?? "";
  const body = order ? receipt(order, seller) : "<p>There is no such receipt.</p>";
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Simulated receipt</title>
<style>
  body { margin: 1.5rem auto; padding-inline: 1rem; max-inline-size: 26rem; font: 1rem/1.6 system-ui, sans-serif; }
  table { inline-size: 100%; }
  td:last-child { text-align: end; }
  tfoot { font-weight: 600; }
</style>
${body}
</html>`;
  return new Response(page, { status: order ? 200 : 404, headers: { "content-type": "text/html; charset=utf-8" } });
}

function receipt({ externalId, lines, tax = 0, total, currency, time }, seller) {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  const money = (amount) => format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
  const row = (name, amount) => `<tr><td>${plain(name)}</td><td>${money(amount)}</td></tr>`;
  const rows = lines.map(({ quantity, name, amount }) => row(`${quantity} × ${name}`, amount));
  return `<h1>${plain(seller)}</h1>
<p>Order ${plain(externalId)}<br>${new Date(time).toLocaleString("en-US")}</p>
<table><tbody>${rows.join("")}${row("Tax", tax)}</tbody><tfoot>${row("Total", total)}</tfoot></table>`;
}

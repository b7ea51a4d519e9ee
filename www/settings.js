/**
 * What the demo service prints when it starts, and tells this page: `{ baseUrl, connectUrl, clientId, clientSecret, account }`.
 * A page that is open to the public must not be told a `clientSecret`: there a relay adds it.
 */
export async function loadSettings() {
  const response = await fetch("demo.json", { cache: "no-store" });
  if (!response.ok) throw new Error(`demo.json: HTTP ${response.status}`);
  const { account, ...options } = await response.json();
  return { account, options: { ...options, trustedPage: true } };
}

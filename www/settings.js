/**
 * What the demo service tells this page: `{ baseUrl, connectUrl, clientId, account }`, and one of two more. `tillKey`:
 * `baseUrl` is a relay, which knows the secret and keeps the tokens. `clientSecret`: `baseUrl` is the service itself. A
 * page that is open to the public must not be told a `clientSecret`.
 */
export async function loadSettings() {
  const response = await fetch("demo.json", { cache: "no-store" });
  if (!response.ok) throw new Error(`demo.json: HTTP ${response.status}`);
  const { account, tillKey, ...options } = await response.json();
  if (tillKey) return { account, mode: "relay", options: { ...options, headers: async () => headersFor(tillKey) } };
  return { account, mode: "direct", options: { ...options, trustedPage: true } };
}

/** How a till proves itself to the relay. */
export const headersFor = (tillKey) => ({ authorization: `Bearer ${tillKey}` });

const MODES = {
  relay: "Through a relay: this page has no secret and no token.",
  direct: "Without a relay, for trying only: this page has the client secret. The back end gets the tokens.",
};

/** One line that says where this page sends its calls. */
export function showMode(mode) {
  const line = document.getElementById("mode");
  line.textContent = MODES[mode];
  line.dataset.mode = mode;
}

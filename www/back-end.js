/**
 * Stands for your own back end, which gets the tokens, and gives the page the access token. It is the demo's.
 * `handOvers`: how often this page has given it tokens.
 */
export const backEnd = { isDown: false, handOvers: 0 };

/** The function that the package calls until it resolves: after a crash the next page's. */
export function persistTo(steps) {
  return async (tokens) => {
    if (backEnd.isDown) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      steps.note(
        "The back end is down: not handed over.",
        "The tokens stay in this browser, encrypted. The package asks again, also after a reload.",
      );
      throw new Error("The back end is down.");
    }
    const body = JSON.stringify(tokens);
    const headers = { "content-type": "application/json" };
    const response = await fetch("back-end/tokens", { method: "PUT", headers, body });
    if (!response.ok) throw new Error(`The back end answered ${response.status}.`);
    backEnd.handOvers += 1;
    steps.done("Handed over.", "The back end has the tokens. This browser keeps none.");
  };
}

/** The package asks for it before each call for the merchant. */
export async function accessToken(signal) {
  const token = await heldToken(signal);
  if (!token) throw new Error("The back end has no tokens: connect again.");
  return token;
}

/** The access token; empty where the back end has none for this browser. */
async function heldToken(signal) {
  const response = await fetch("back-end/access-token", { signal, cache: "no-store" });
  if (!response.ok) throw new Error(`The back end answered ${response.status}.`);
  return response.text();
}

const LONGEST_ANSWER = 1000; // ms

/** Whether the back end has tokens for this browser. One that says nothing soon may have. */
export async function hasTokens() {
  try {
    const token = await heldToken(AbortSignal.timeout(LONGEST_ANSWER));
    return token !== "" || backEnd.handOvers > 0; // The answer may be from before the hand-over.
  } catch {
    return true;
  }
}

/** The connection is over: the back end has no more use for its tokens. */
export const forgetTokens = () => fetch("back-end/tokens", { method: "DELETE" }).catch(console.error);

const LONGEST_LOOK = 5000; // ms

/**
 * What the service says of the connection now; null if the back end has no tokens for this browser, or the service
 * takes them no more. A back end asks this in the place of the page, and refreshes before it believes a refusal: the
 * token may only have expired.
 */
export async function connectionNow(baseUrl) {
  const signal = AbortSignal.timeout(LONGEST_LOOK);
  const token = await heldToken(signal);
  if (!token) return null;
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${baseUrl}/v1/account`, { headers, signal, cache: "no-store" });
  if (response.status === 401) {
    void forgetTokens();
    return null;
  }
  const retryAfter = 1000 * (Number(response.headers.get("retry-after")) || 0); // A date counts as none.
  if (!response.ok) throw Object.assign(new Error(`The service answered ${response.status}.`), { retryAfter });
  const { account, store, ereceipt, expiration } = await response.json();
  return { account, store, ereceipt, expiration: new Date(expiration) };
}

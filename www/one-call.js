import { PosConnect } from "./sdk.js"; // yours: from "pos-connect"
import { loadSettings } from "./settings.js";

// { baseUrl, connectUrl, clientId, headers }: `baseUrl` is your relay, `headers` shows it
// the till's key. Without a relay, for trying it out: clientSecret and trustedPage.
const { options } = await loadSettings();

// Loads the WebAssembly and checks the options; sends nothing.
const pos = await PosConnect.create({
  ...options,
  async persistTokens(tokens) {
    // To your server, which here is the demo's. Called until it resolves, after a crash by the
    // next page. With a relay that keeps the tokens it is not called at all.
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(tokens);
    const response = await fetch("back-end/tokens", { method: "PUT", headers, body });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  },
});

// What an earlier page of this browser did: who is connected, or null.
const connection = await pos.connection();

const button = document.getElementById("connect");
const result = document.getElementById("result");
let connecting = false;
result.value = connection ? `Still connected to ${connection.account?.name}` : "Not connected";

button.addEventListener("click", async () => {
  if (connecting) return;
  connecting = true; // Not `button.disabled`: the dialog gives the focus back to the button.
  try {
    const tokens = await pos.connect({
      onStatus: (status) => { result.value = `Status: ${status}`; },
    });
    result.value = `Connected to ${tokens.account?.name}`;
  } catch (error) {
    // A PosConnectError. `code` says what happened; "closed" and "cancelled" mean
    // that the merchant did not want to; `retryable` that it can work later.
    result.value = `Not connected: ${error.code}`;
  } finally {
    connecting = false;
  }
});
button.disabled = false; // Only now somebody listens.

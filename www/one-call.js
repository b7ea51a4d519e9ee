import { PosConnect } from "./sdk.js"; // yours: from "pos-connect"

// The demo's settings: { baseUrl, connectUrl, clientId, clientSecret }.
// With a relay in `baseUrl` there is no clientSecret in the page, and no trustedPage.
const { account, ...settings } = await (await fetch("demo.json")).json();

// Loads the WebAssembly and checks the options; sends nothing.
const pos = await PosConnect.create({ ...settings, trustedPage: true });

const button = document.getElementById("connect");
const result = document.getElementById("result");
let connecting = false;

button.addEventListener("click", async () => {
  if (connecting) return;
  connecting = true; // Not `button.disabled`: the dialog gives the focus back to the button.
  try {
    const tokens = await pos.connect({
      onStatus: (status) => { result.value = `Status: ${status}`; },
    });
    // Store tokens.accessToken and tokens.refreshToken now: they come once.
    result.value = `Connected to ${tokens.account?.name}`;
  } catch (error) {
    // A PosConnectError. `code` says what happened; "closed" and "cancelled" mean
    // that the merchant did not want to; `retryable` that it can work later.
    result.value = `Not connected: ${error.code}`;
  } finally {
    connecting = false;
  }
});

import { PosConnect } from "./sdk.js"; // yours: from "pos-connect"

// The demo's settings: { baseUrl, connectUrl, clientId, clientSecret }.
// With a relay in `baseUrl` there is no clientSecret in the page, and no trustedPage.
const { account, ...settings } = await (await fetch("demo.json")).json();
const pos = await PosConnect.create({ ...settings, trustedPage: true });

const connect = document.getElementById("connect");
const cancel = document.getElementById("cancel");
const result = document.getElementById("result");
const say = (text) => { result.value = text; };

connect.addEventListener("click", async () => {
  connect.disabled = true;
  let integration;
  try {
    // 1. One attempt to connect.
    integration = await pos.createIntegration();

    // 2. The connect frame, inside an element of this page. Without one: a dialog.
    integration.mountFrame("#frame");

    // 3. Wait for the merchant. If the till cancels meanwhile, this ends as well.
    cancel.hidden = false;
    cancel.onclick = () => integration.cancel().catch((error) => say(error.code));
    const end = await integration.waitUntilDone({
      onStatus: (status) => say(`Status: ${status}`),
    });
    if (end === "cancelled") {
      say("Canceled");
      return;
    }

    // 4. The tokens come once; a repeat gives the same ones, without a request.
    const tokens = await integration.fetchTokens();
    const repeat = await integration.fetchTokens();
    const same = tokens.accessToken === repeat.accessToken;
    say(`Connected to ${tokens.account?.name}; fetched twice, ${same ? "same" : "other"} tokens`);
  } catch (error) {
    say(`Not connected: ${error.code}`);
  } finally {
    // 5. Take away what is left: the frame, and every wait.
    integration?.destroy();
    cancel.hidden = true;
    connect.disabled = false;
  }
});

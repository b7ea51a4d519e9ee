import { PosConnect } from "./sdk.js"; // yours: from "pos-connect"
import { loadSettings } from "./settings.js";

// { baseUrl, connectUrl, clientId, headers }: `baseUrl` is your relay, `headers` shows it
// the till's key. Without a relay, for trying it out: clientSecret and trustedPage.
const { options } = await loadSettings();
const pos = await PosConnect.create(options);

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

    // 5. Your server has them? Then say so: this browser forgets them.
    await integration.acknowledgeTokens();
    say(`Connected to ${tokens.account?.name}; fetched twice, ${same ? "same" : "other"} tokens`);
  } catch (error) {
    say(`Not connected: ${error.code}`);
  } finally {
    // 6. Take away what is left: the frame, and every wait.
    integration?.destroy();
    cancel.hidden = true;
    connect.disabled = false;
  }
});
say("Not connected");
connect.disabled = false; // Only now somebody listens.

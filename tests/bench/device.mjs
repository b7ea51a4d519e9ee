// oidc-provider's device flow (RFC 8628) with its adapter in memory: what a vendor could poll in place of our service.
// Prints its URL, its keys and device codes that nobody has confirmed, and runs until it is killed.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

/** Its adapter keeps a thousand entries; those of the codes are not the only ones. */
const CODES = 400;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

// The first line is ours.
console.info = console.error;

const [clientId, clientSecret] = ["till", randomBytes(32).toString("hex")];
const server = createServer();
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(url, {
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      grant_types: [GRANT],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  ttl: { DeviceCode: 24 * 60 * 60 },
  features: { deviceFlow: { enabled: true }, devInteractions: { enabled: false } },
});
server.on("request", provider.callback());

const form = (values) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...values }),
});
const codes = [];
for (let number = 0; number < CODES; number += 1) {
  const answer = await fetch(`${url}/device/auth`, form({ scope: "openid" }));
  codes.push((await answer.json()).device_code);
}
const asked = await fetch(`${url}/token`, form({ grant_type: GRANT, device_code: codes[0] }));
const { error } = await asked.json();
if (error !== "authorization_pending") throw new Error(`a poll is answered with ${error}`);
console.log(JSON.stringify({ url, clientId, clientSecret, codes }));

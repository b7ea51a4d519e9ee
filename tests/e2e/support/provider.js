// The operator's provider of OpenID Connect, where merchants have accounts: `oidc-provider`, which is certified.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import OidcProvider from "oidc-provider";
import { By } from "selenium-webdriver";
import { freePort } from "./process.js";
import { eventually } from "./wait.js";

const CLIENT = { id: "ads-connect", secret: "a secret of the client's, for tests" };
const STORES = [
  { id: "s1", name: "Market Street" },
  { id: "s2", name: "Old Harbor" },
];

export class Provider {
  clientSecret = CLIENT.secret;
  #server;

  /** `callback`: the only address that it sends browsers back to. */
  static async start(callback) {
    const provider = new Provider();
    const port = await freePort();
    provider.issuer = `http://127.0.0.1:${port}`;
    const oidc = new OidcProvider(provider.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [callback],
          require_auth_time: true,
        },
      ],
      claims: { openid: ["sub"], profile: ["name"], email: ["email"], stores: ["org"] },
      cookies: { keys: ["a key of the tests'"] },
      findAccount: (_, accountId) => ({
        accountId,
        claims: () => ({
          sub: accountId,
          name: "Harbor Bakery",
          email: `${accountId}@bakery.example`,
          org: { stores: STORES },
        }),
      }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      // Nobody is asked whether the service may know who has signed in.
      loadExistingGrant: async ({ oidc: { client, provider, session } }) => {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid profile email stores");
        await grant.save();
        return grant;
      },
    });
    const answer = oidc.callback();
    provider.#server = createServer((request, response) =>
      request.url.startsWith("/interaction/") ? interact(oidc, request, response) : answer(request, response),
    );
    await new Promise((resolve) => provider.#server.listen(port, "127.0.0.1", resolve));
    return provider;
  }

  /** What the service is told of it. */
  options(secretFile) {
    return Object.entries({
      "oidc-issuer": this.issuer,
      "oidc-client-id": CLIENT.id,
      "oidc-client-secret-file": secretFile,
      "oidc-name": "Harbor Ads",
      "oidc-stores-claim": "/org/stores",
      "oidc-scope": ["profile", "email", "stores"],
    }).flatMap(([name, value]) => [value].flat().flatMap((one) => [`--${name}`, one]));
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Asks who it is: any login will do. */
const PAGE = `<!doctype html><title>Harbor Ads</title><form method="post"><input name="login" aria-label="Login">
<button name="answer" value="yes">Sign in</button><button name="answer" value="no">Cancel</button></form>`;

/** The page on which the provider asks, and its answer. */
async function interact(oidc, request, response) {
  if (request.method === "GET") return response.setHeader("content-type", "text/html").end(PAGE);
  const fields = new URLSearchParams(await text(request));
  const login = { accountId: fields.get("login") };
  return oidc.interactionFinished(
    request,
    response,
    fields.get("answer") === "yes" ? { login } : { error: "access_denied" },
  );
}

/** The provider's page, in the window that has the focus. */
export class ProviderPage {
  #window;

  constructor(window) {
    this.#window = window;
  }

  async signIn(login) {
    const field = await this.#find("[name=login]");
    await field.sendKeys(login);
    await this.#press("yes");
  }

  async cancel() {
    await this.#press("no");
  }

  #find(css) {
    const find = () => this.#window.findElement(By.css(css)).catch(() => null);
    return eventually(find, `The provider never showed ${css}.`);
  }

  async #press(answer) {
    await (await this.#find(`[value=${answer}]`)).click();
  }
}

// A provider of OpenID Connect of the operator's, where merchants have accounts: `oidc-provider`, which is certified.
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import OidcProvider from "oidc-provider";
import { By } from "selenium-webdriver";
import { freePort } from "./process.js";
import { eventually } from "./wait.js";

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11"/></svg>`;
const CLIENT = { id: "ads-connect", secret: "a secret of the client's, for tests" };
const STORES = [
  { id: "s1", name: "Market Street" },
  { id: "s2", name: "Old Harbor" },
];

export class Provider {
  #server;

  /** `service`: the URL to which it sends browsers back, and says who has signed out. */
  static async start(service, id, name) {
    const provider = new Provider();
    const port = await freePort();
    provider.id = id;
    provider.name = name;
    provider.callback = `${service}/callback-${id}`;
    provider.issuer = `http://127.0.0.1:${port}`;
    const oidc = new OidcProvider(provider.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [provider.callback],
          backchannel_logout_uri: `${service}/backchannel-logout`,
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
      features: {
        backchannelLogout: { enabled: true },
        devInteractions: { enabled: false },
        rpInitiatedLogout: { enabled: true, logoutSource: (context, form) => (context.body = leave(form)) },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      // Its own dispatcher calls no address of this machine.
      fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
      // Nobody is asked whether the service may know who has signed in.
      loadExistingGrant: async ({ oidc: { client, provider, session } }) => {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid profile email stores");
        await grant.save();
        return grant;
      },
    });
    oidc.on("backchannel.success", () => (provider.hasSaidGoodbye = true));
    const answer = oidc.callback();
    provider.#server = createServer((request, response) =>
      request.url.startsWith("/interaction/") ? interact(oidc, request, response) : answer(request, response),
    );
    await new Promise((resolve) => provider.#server.listen(port, "127.0.0.1", resolve));
    return provider;
  }

  /** Writes what the service is told of it into a folder, and gives the option that names that. */
  async option(folder) {
    const [file, secret, logo] = ["toml", "secret", "svg"].map((end) => join(folder, `${this.id}.${end}`));
    await writeFile(secret, CLIENT.secret, { mode: 0o600 });
    await writeFile(logo, LOGO);
    const settings = Object.entries({
      issuer: this.issuer,
      "client-id": CLIENT.id,
      "client-secret-file": secret,
      name: this.name,
      logo,
      "stores-claim": "/org/stores",
      scope: ["profile", "email", "stores"],
    });
    await writeFile(file, settings.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join(""));
    return ["--oidc-provider", file];
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Asks whether to sign out; the form is the library's. */
const leave = (form) => `<!doctype html><title>Sign out</title>${form}
<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;

/** Asks who it is: any login will do. */
const PAGE = `<!doctype html><title>Sign in</title><form method="post"><input name="login" aria-label="Login">
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

  async signOut() {
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

import { backEnd } from "./back-end.js";
import { withoutNetwork } from "./outage.js";
import { takeTokensFirst } from "./rival.js";
import { PosConnect } from "./sdk.js";
import { headersFor } from "./settings.js";

const ABORT_AFTER = 3000;

/**
 * Errors on purpose. Each rejects with the code it announces, unless the merchant does something else meanwhile.
 * `mode`: where it can be provoked at all. `expect`: what to expect in place of the code. A run that connects gives its
 * tokens. `create(changes)` gives a `PosConnect` with the demo's options, changed.
 */
export const provocations = [
  {
    name: "Cancel by signal",
    code: "aborted",
    async run({ create, steps, signal, onStatus }) {
      const pos = await create();
      const controller = new AbortController();
      let timer;
      steps.call("pos.connect({ signal })", `The signal fires after ${ABORT_AFTER / 1000} seconds.`);
      try {
        await pos.connect({
          signal: AbortSignal.any([signal, controller.signal]),
          onStatus(status) {
            onStatus(status);
            timer ??= setTimeout(() => controller.abort(new Error("The cashier changed their mind.")), ABORT_AFTER);
          },
        });
      } finally {
        clearTimeout(timer);
      }
    },
  },
  {
    name: "Wrong secret",
    code: "invalid_secret",
    mode: "direct",
    async run({ create, steps, signal }) {
      const pos = await create({ clientSecret: "not-the-secret" });
      steps.call("pos.connect()", "With a secret that is not the vendor's.");
      await pos.connect({ signal });
    },
  },
  {
    name: "Wrong till key",
    code: "unauthorized",
    mode: "relay",
    async run({ create, steps, signal }) {
      const pos = await create({ headers: async () => headersFor("not-a-till-key") });
      steps.call("pos.connect()", "With a till key that the relay does not know.");
      await pos.connect({ signal });
    },
  },
  {
    name: "Unknown vendor",
    code: "invalid_client",
    async run({ create, steps, signal }) {
      const pos = await create({ clientId: "nobody" });
      steps.call("pos.connect()", "With a client id that the service never issued.");
      await pos.connect({ signal });
    },
  },
  {
    name: "Service down",
    code: "network",
    async run({ create, steps, signal }) {
      const pos = await create();
      steps.call(
        "pos.connect()",
        "While no request of this page gets through. Or stop the service and press Connect account.",
      );
      await withoutNetwork(() => pos.connect({ signal }));
    },
  },
  {
    name: "Fetch too early",
    code: "not_finished",
    async run({ create, steps }) {
      const integration = await begin(await create(), steps);
      steps.call("integration.fetchTokens()", "While the merchant has not decided.");
      await integration.fetchTokens();
    },
  },
  {
    name: "Second fetch",
    code: "tokens_already_retrieved",
    mode: "direct", // Through the relay, a rival without the secret gets nothing.
    async run({ create, options, inDialog, steps, onStatus }) {
      const integration = await begin(await create(), steps);
      steps.call("integration.mountFrame()", "Sign in and connect as before: the tokens must be there to be taken.");
      const end = await inDialog(({ container, signal, locale }) => {
        const stop = new AbortController();
        integration.mountFrame(container, { locale }).ended.then((end) => {
          if (end === "closed") stop.abort(new Error("The merchant closed the frame."));
        });
        return integration.waitUntilDone({ signal: AbortSignal.any([signal, stop.signal]), onStatus });
      });
      if (end === "finished") {
        const status = await takeTokensFirst(options, integration.integrationToken);
        steps.note(
          `A rival with the same keys fetched first: HTTP ${status}.`,
          "A plain request beside the package. What it got is thrown away.",
        );
      }
      steps.call("integration.fetchTokens()", "The second fetch.");
      await integration.fetchTokens();
    },
  },
  {
    name: "Back end down",
    code: "persistTokens",
    mode: "direct", // A relay has nothing to hand over.
    expect: "The tokens come, but cannot be handed over. Reload the page: the back end is up then.",
    async run({ create, inDialog, steps, onStatus }) {
      backEnd.isDown = true;
      const pos = await create({ vault: "indexeddb" });
      steps.call("pos.connect()", "Sign in and connect as before. `persistTokens` will reject.");
      return inDialog((options) => pos.connect({ ...options, onStatus }));
    },
  },
  {
    name: "Canceled by the till",
    code: "integration_cancelled",
    async run({ create, steps, onStatus }) {
      const integration = await begin(await create(), steps);
      steps.call("integration.cancel()", "The till does not want it any more.");
      await integration.cancel();
      onStatus(await integration.status());
      steps.call("integration.fetchTokens()", "There is nothing to fetch now.");
      await integration.fetchTokens();
    },
  },
  {
    name: "Bad option",
    code: "invalid_option",
    async run({ create, steps }) {
      steps.call("PosConnect.create()", "With a baseUrl that is not https.");
      await create({ baseUrl: "http://pos-vendor.example" });
    },
  },
];

function begin(pos, steps) {
  steps.call("pos.createIntegration()", "Sends the vendor's keys, gets an integration token.");
  return pos.createIntegration();
}

/**
 * Makes the function that the provocations get: what they do leaves nothing for the next page, unless they ask for it.
 * Every object it made is destroyed by `destroyAll`.
 */
export function factoryOf(options) {
  const made = [];
  return {
    async create(changes = {}) {
      const pos = await PosConnect.create({ ...options, vault: "memory", ...changes });
      made.push(pos);
      return pos;
    },
    destroyAll() {
      for (const pos of made) pos.destroy();
    },
  };
}

// The relay, the merchant and the cashier of a till that a framework shows; says in the page what came of it.
import { Service } from "./service.js";

const account = { id: "1", name: "Corner Bakery" };

class Relay extends Service {
  status = "pending";
  isConnected = false;

  constructor() {
    super({}, {});
  }

  next(operation) {
    if (operation === "token") this.isConnected = true;
    const answers = {
      create: { integrationToken: "token-1", interval: 0 },
      status: { status: this.status },
      token: { held: true, ereceipt: false, account },
      connection: this.isConnected ? { connected: true, ereceipt: false, account } : { connected: false },
      order: { order: {}, receivedAt: "2026-11-26T10:30:00Z" },
    };
    return { body: { success: true, ...answers[operation] } };
  }
}

const relay = new Relay();
const button = (name) => [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);
const says = (words) => document.body.innerText.includes(words);

async function until(is) {
  for (let tries = 0; !is(); tries += 1) {
    if (tries > 2000) throw new Error(`never: ${is}; the page says: ${document.body.innerText}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Connects, and sells one order; the calls that the relay has heard, each once. */
async function sold() {
  await until(() => says("disconnected"));
  button("Connect")?.click();
  await until(() => document.querySelector("iframe"));
  relay.status = "finished";
  await until(() => says("Corner Bakery"));
  button("Charge").click();
  const heard = (operation) => relay.requests.filter((request) => request.operation === operation).length;
  await until(() => heard("order") > 0 && !button("Charge").disabled);
  return { created: heard("create"), pickedUp: heard("token"), orders: heard("order") };
}

sold()
  .catch((error) => error.message)
  .then((result) => {
    document.body.dataset.result = JSON.stringify(result);
  });

// The connecting half of the till: the header's button, and the panel that shows what happens.
import { Connection, expiryOf } from "./connection.js";
import { showLogin } from "./login.js";
import { factoryOf, provocations } from "./provocations.js";
import { PosConnect } from "./sdk.js";
import { loadSettings } from "./settings.js";
import { Steps } from "./steps.js";
import { showView } from "./views.js";

const byId = (id) => document.getElementById(id);
const steps = new Steps();
const connection = new Connection();
const onStatus = (status) => steps.status(status);

// Whatever stands outside a modal dialog is out of reach while it is open. So the demo login stands in its heading.
const labelsFor = ({ email, password }) => ({ title: `Demo login: ${email}, ${password}` });

let running = null; // the AbortController of the flow that runs, if one does

/** Runs one flow at a time; however it ends, the end is in the list of steps. */
async function run(flow, announcement) {
  if (running) return;
  running = new AbortController();
  connection.busy(announcement);
  steps.reset();
  try {
    await flow(running.signal);
  } catch (error) {
    steps.failure(error);
    if (error.code !== "closed" && error.code !== "cancelled") showView("flow");
  } finally {
    running = null;
    connection.settled();
  }
}

function connect({ account, options }) {
  const labels = labelsFor(account);
  return run(async (signal) => {
    steps.call("PosConnect.create()", "Loads the WebAssembly, checks the options, sends nothing.");
    const pos = await PosConnect.create(options);
    try {
      steps.call("pos.connect()", "Creates an integration, opens the connect frame, waits for the merchant.");
      const tokens = await pos.connect({ signal, onStatus, labels });
      connection.connected(tokens);
      steps.done("Token set picked up, once.", `Access token held, ${expiryOf(tokens)}. E-receipts ${tokens.ereceipt ? "on" : "off"}.`);
      for (const fault of tokens.faults) steps.note(`The answer's ${fault.field} was ${fault.problem}.`);
    } finally {
      pos.destroy();
    }
  }, "Connecting…");
}

function provoke(provocation, { account, options }) {
  return run(async (signal) => {
    steps.note(provocation.name, `Expect the code ${provocation.code}.`);
    const factory = factoryOf(options);
    try {
      await provocation.run({ create: factory.create, options, labels: labelsFor(account), steps, signal, onStatus });
      steps.note("No error this time.");
    } finally {
      factory.destroyAll();
    }
  });
}

function showProvocations(settings) {
  const template = byId("provocation-template");
  for (const provocation of provocations) {
    const item = template.content.firstElementChild.cloneNode(true);
    item.querySelector(".name").textContent = provocation.name;
    item.querySelector("code").append(...breakable(provocation.code));
    item.querySelector("button").addEventListener("click", () => provoke(provocation, settings));
    byId("provocations").append(item);
  }
}

/** A code may break after its underscores, nowhere else. */
const breakable = (code) => code.split(/(?<=_)/).flatMap((part) => [part, document.createElement("wbr")]);

function onConnectButton(settings) {
  if (running) running.abort(new Error("The cashier pressed Stop."));
  else if (connection.held) {
    connection.forget();
    steps.note("The till forgot its tokens.", "They were only in this page's memory.");
  } else connect(settings);
}

byId("clear-steps").addEventListener("click", () => steps.clear());
try {
  const settings = await loadSettings();
  showLogin(settings.account);
  showProvocations(settings);
  byId("connect").addEventListener("click", () => onConnectButton(settings));
  byId("connect").disabled = false;
} catch (error) {
  byId("unavailable").textContent = "This till has no service to connect to. Start both with: cargo xtask demo";
  byId("unavailable").hidden = false;
  console.error(error);
}

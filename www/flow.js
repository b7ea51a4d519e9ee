// The connecting half of the till: the header's button, and the panel that shows what happens.
import { accessToken, backEnd, forgetTokens, hasTokens, persistTo } from "./back-end.js";
import { clearChange, tellChange } from "./changed.js";
import { checkConnection, onConnection } from "./client.js";
import { ConnectDialog } from "./connect-dialog.js";
import { Connection, expiryOf } from "./connection.js";
import { showLogin } from "./login.js";
import { factoryOf, provocations } from "./provocations.js";
import { confirm } from "./question.js";
import { choice } from "./receipt-choice.js";
import { PosConnect } from "./sdk.js";
import { loadSettings, showMode } from "./settings.js";
import { Steps } from "./steps.js";
import { showFlow } from "./views.js";

const LONGEST_LOOK = 5000; // ms
const byId = (id) => document.getElementById(id);
const steps = new Steps();
const connection = new Connection();
const handOver = persistTo(steps);
const onStatus = (status) => steps.status(status);

let running = null; // the AbortController of the flow that runs, if one does
let said = Promise.resolve(); // The dialog's last word: who is connected.

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
    if (error.code !== "closed" && error.code !== "cancelled") showFlow();
  } finally {
    running = null;
    connection.settled();
  }
}

/** As soon as the back end has the tokens, the till is connected, whoever began it. */
async function persistTokens(tokens) {
  await handOver(tokens);
  connection.connected(tokens, "with the back end");
  if (running) connection.busy();
}

function connect(settings) {
  return run(async (signal) => {
    steps.call("PosConnect.create()", "Loads the WebAssembly, checks the options, sends nothing.");
    const pos = await create(settings);
    try {
      steps.call("pos.connect({ container })", "Creates an integration, shows the connect page, waits.");
      told(settings, await inDialog(settings, signal, (options) => pos.connect({ ...options, onStatus })));
    } catch (error) {
      // The merchant or the cashier has ended it: a reload must not begin it again.
      if (error.code === "closed" || error.code === "aborted") await withdraw(pos);
      throw error;
    } finally {
      void said.then(() => pos.destroy()); // It would take the last word away.
    }
  }, "Connecting…");
}

/** Runs `work` with a dialog open; its options are the frame's container, its language and a signal. */
async function inDialog({ account }, signal, work) {
  // A dialog gives the focus back to where it was.
  if (document.activeElement === document.body) byId("connect").focus();
  const { locale } = choice;
  const dialog = new ConnectDialog(account, locale);
  try {
    const result = await work({ container: dialog.place, locale, signal: AbortSignal.any([signal, dialog.signal]) });
    said = dialog.closeAfterFrame();
    return result;
  } catch (error) {
    dialog.close();
    throw error;
  }
}

const create = ({ mode, options }) =>
  PosConnect.create({ ...options, persistTokens, ...(mode === "direct" && { accessToken }) });

function told(settings, tokens) {
  const where = tokens.held ? "held by the relay" : backEnd.isDown ? "kept in this browser" : "with the back end";
  connection.connected(tokens, where);
  clearChange();
  steps.done(
    "Token set picked up, once.",
    `Access token ${where}, ${expiryOf(tokens)}. E-receipts ${tokens.ereceipt ? "on" : "off"}.`,
  );
  for (const fault of tokens.faults) steps.note(`The answer's ${fault.field} was ${fault.problem}.`);
}

async function withdraw(pos) {
  try {
    await (await pos.resume())?.cancel();
  } catch (error) {
    console.error(error); // It expires by itself.
  }
}

/** The page's first state: final before the button can be pressed, so that no finger meets another one. */
async function begin(settings) {
  let pos, left;
  try {
    pos = await create(settings);
    left = await lookBack(pos, settings);
  } catch (error) {
    steps.failure(error);
  }
  byId("connect").addEventListener("click", () => onConnectButton(settings));
  showProvocations(settings);
  const flow = left && run((signal) => goOn(left, settings, signal), "Going on…");
  byId("connect").disabled = false;
  void Promise.resolve(flow).then(() => pos?.destroy());
}

function known(record, { mode }) {
  if (record) connection.connected(record, mode === "relay" ? "held by the relay" : "with the back end");
  else connection.forget();
}

/**
 * What an earlier page of this browser left. Shows the connection that it made, and gives the integration that the
 * merchant has still to decide, or null.
 */
async function lookBack(pos, settings) {
  const record = await pos.connection();
  // Without a relay the package is not told of an end elsewhere: what was said once is no news after a reload.
  const stands = record && (settings.mode === "relay" || (await hasTokens()));
  known(stands ? record : null, settings);
  onConnection((changed) => {
    const words = connection.changeTo(changed);
    // What this page's flow has done, the flow shows itself.
    if (!running && words) {
      known(changed, settings);
      tellChange(words);
      steps.note(words, "Not by this page.");
    }
  });
  await checkConnection();
  const left = await pos.resume(); // From here on, tokens that wait for `persistTokens` are handed over.
  if (!left) {
    if (connection.held) steps.note("pos.connection(): this browser is connected.", "An earlier page connected it.");
    return null;
  }
  steps.call("pos.resume()", "An earlier page began this integration. This one goes on.");
  try {
    // Tokens that are here cost no request. What takes longer can be stopped.
    told(settings, await left.fetchTokens({ signal: AbortSignal.timeout(LONGEST_LOOK) }));
    return null;
  } catch (error) {
    if (error.code === "not_finished" || error.code === "aborted") return left;
    // `persistTokens` was faster.
    if (error.code === "tokens_already_retrieved" && backEnd.handOvers > 0) return null;
    throw error;
  }
}

/** Shows the frame, and waits until the merchant has decided or closed it. */
async function goOn(left, settings, signal) {
  try {
    const end = await inDialog(settings, signal, (options) => decided(left, options));
    if (end === "finished") told(settings, await left.fetchTokens());
    else steps.note("The integration was canceled.");
  } catch (error) {
    if (error.code === "aborted") await left.cancel().catch(console.error);
    throw error;
  }
}

function decided(left, { container, signal, locale }) {
  const stop = new AbortController();
  left.mountFrame(container, { locale }).ended.then((end) => {
    if (end === "closed") stop.abort(new Error("The merchant closed the frame."));
  });
  return left.waitUntilDone({ signal: AbortSignal.any([signal, stop.signal]), onStatus });
}

/** Ends it for the merchant. If nobody can be asked, this browser forgets it. */
async function disconnect(settings) {
  // One tap beside "Stop" and "Connect" must not end it for every till.
  const isMeant = await confirm({
    title: `Disconnect ${connection.place}?`,
    text: "The tills of this connection then send nothing more to the account, until you connect them again.",
    keep: "Stay connected",
    confirm: "Disconnect",
  });
  if (!isMeant) return;
  return run(async (signal) => {
    const pos = await create(settings);
    steps.call("pos.disconnect()", "Ends the connection for the merchant, on every till.");
    try {
      await pos.disconnect({ signal });
    } catch (error) {
      steps.failure(error);
      await pos.forget();
      steps.note("pos.forget(): only this browser has forgotten it.");
    } finally {
      pos.destroy();
    }
    if (settings.mode === "direct") await forgetTokens();
    connection.forget();
  }, "Disconnecting…");
}

function provoke(provocation, settings) {
  const { options } = settings;
  return run(async (signal) => {
    steps.note(provocation.name, provocation.expect ?? `Expect the code ${provocation.code}.`);
    const factory = factoryOf({ ...options, persistTokens });
    try {
      const tokens = await provocation.run({
        create: factory.create,
        options,
        inDialog: (work) => inDialog(settings, signal, work),
        steps,
        signal,
        onStatus,
      });
      if (tokens) told(settings, tokens);
      else steps.note("No error this time.");
    } finally {
      factory.destroyAll();
    }
  });
}

function showProvocations(settings) {
  const template = byId("provocation-template");
  for (const provocation of provocations.filter(({ mode = settings.mode }) => mode === settings.mode)) {
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
  else if (connection.held) disconnect(settings);
  else connect(settings);
}

byId("clear-steps").addEventListener("click", () => steps.clear());
try {
  const settings = await loadSettings();
  showMode(settings.mode);
  showLogin(settings.account);
  await begin(settings);
} catch (error) {
  byId("unavailable").textContent = "This till has no service to connect to. Start both with: cargo xtask demo";
  byId("unavailable").hidden = false;
  console.error(error);
}
document.documentElement.dataset.ready = ""; // For whoever drives this page.

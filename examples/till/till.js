import { PosConnect } from "pos-connect";

const { key } = await (await fetch("/till.json")).json(); // the till's own key: `till add` printed it
const output = document.querySelector("output") ?? document.body.appendChild(document.createElement("output"));
const print = () => console.log("Printed."); // your printer
const pos = await PosConnect.create({
  baseUrl: "http://127.0.0.1:8090", // your relay: it knows the client secret and keeps the tokens
  connectUrl: "http://127.0.0.1:8080/connect", // the service's connect page
  clientId: "demo-till",
  headers: { authorization: `Bearer ${key}` },
  onInterrupted: print, // of a sale that a reload or a crash has cut off
});
for (const button of document.querySelectorAll("button")) button.disabled = false; // now there is a client
output.value = "Ready";

document.querySelector("#connect")?.addEventListener("click", async () => {
  output.value = await pos.connect().then(
    ({ account }) => `Connected to ${account?.name}`, // in a dialog, the merchant has agreed
    ({ message }) => `Not connected: ${message}`,
  );
});

let isCharging = false;
document.querySelector("#charge")?.addEventListener("click", async () => {
  if (isCharging) return; // a second press is no second sale
  isCharging = true; // while `charge` keeps the order, asks the shopper and sends it
  const lines = [{ name: "Bread", quantity: 1, amount: 1191 }]; // 11.91 shekels
  const order = { externalId: crypto.randomUUID(), time: new Date(), currency: "ILS", total: 1191, lines };
  output.value = await pos.charge(order, { region: "IL", print }).then(
    (sold) => `Order ${sold.state}: ${sold.print ? "printed" : "no paper"}${sold.error ? ` (${sold.error.code})` : ""}`,
    ({ message }) => `Order failed: ${message}`,
  );
  isCharging = false;
});

// Sales in one call.
import { connected, error, failed, ORDER, PHONE, shown } from "./case.js";

const charged = (name, script, gives, prints) => ({
  name: `charge: ${name}`,
  script,
  async run({ pos, heard }) {
    const print = ({ externalId, order, reason }) => heard.push(`print ${externalId} ${order.total} ${reason}`);
    const result = await pos.charge(ORDER, { region: "IL", print, allowNone: true, allowScan: true });
    return [{ ...shown(result), receipt: result.receipt.kind }, heard];
  },
  gives: [{ externalId: "1041", ...gives }, prints],
});

export const sales = [
  charged(
    "paper",
    connected({ receipts: "chosen" }),
    { state: "accepted", print: true, receipt: "print" },
    ["queued", "print 1041 1190 chosen", "accepted"],
  ),
  charged(
    "paper where there are no e-receipts",
    connected({}, false),
    { state: "accepted", print: true, receipt: "print" },
    ["queued", "print 1041 1190 not_enabled", "accepted"],
  ),
  charged(
    "a message",
    connected({ receipts: PHONE }),
    { state: "accepted", print: false, ereceipt: "queued", receipt: "ereceipt" },
    ["queued", "accepted"],
  ),
  charged(
    "a code",
    connected({ receipts: "qr" }),
    { state: "accepted", print: false, ereceipt: "sent", receipt: "qr" },
    ["queued", "accepted"],
  ),
  charged(
    "a code, offline",
    connected({ receipts: "qr", orders: "network" }),
    { state: "queued", print: true, error: "network", receipt: "qr" },
    ["queued", "postponed", "print 1041 1190 queued"],
  ),
  charged("nothing", connected({ receipts: "none" }), { state: "accepted", print: false, receipt: "none" }, [
    "queued",
    "accepted",
  ]),
  charged(
    "a message, offline",
    connected({ receipts: PHONE, orders: "network" }),
    { state: "queued", print: true, error: "network", receipt: "ereceipt" },
    ["queued", "postponed", "print 1041 1190 queued"],
  ),
  charged(
    "a message that is refused",
    connected({ receipts: PHONE, orders: ["too_many_messages", "accepted"] }),
    { state: "accepted", print: true, ereceipt: "refused", error: "too_many_messages", receipt: "print" },
    ["queued", "accepted", "print 1041 1190 send_failed"],
  ),
  {
    name: "charge: the order is refused, and the shopper has paper",
    script: connected({ receipts: "chosen", orders: "invalid_body" }),
    async run({ pos, heard }) {
      const print = ({ reason }) => heard.push(`print ${reason}`);
      return [await failed(pos.charge(ORDER, { region: "IL", print })), heard];
    },
    gives: [error("invalid_body", "charge"), ["queued", "print chosen", "refused"]],
  },
  {
    name: "charge: the same order, while it is charged, is the same call",
    script: connected({ receipts: "chosen" }),
    async run({ pos, heard }) {
      const print = () => heard.push("print");
      const calls = [1, 2].map(() => pos.charge(ORDER, { region: "IL", print }));
      await Promise.all(calls);
      return [calls[0] === calls[1], heard];
    },
    gives: [true, ["queued", "print", "accepted"]],
  },
];

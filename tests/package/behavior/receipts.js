// What the shopper chooses.
import { connected, never, PHONE, REGION } from "./case.js";

const plain = ({ elapsedMs: _, cause, ...rest }) => ({ ...rest, cause: cause?.message });
const paper = (reason, cause) => ({ kind: "print", print: true, reason, orderId: "1", locale: "en", cause });

export const receipts = [
  {
    name: "receiptFor: e-receipts are off",
    script: connected({ receipts: PHONE }, false),
    run: async ({ pos }) => plain(await pos.receiptFor(REGION)),
    gives: paper("not_enabled"),
  },
  {
    name: "receiptFor: nobody can say whether they are on",
    script: { receipts: PHONE },
    async run({ pos }) {
      const ereceipt = () => Promise.reject(new Error("no answer"));
      return plain(await pos.receiptFor({ ...REGION, ereceipt }));
    },
    gives: paper("not_enabled", "no answer"),
  },
  {
    name: "receiptFor: paper",
    script: { receipts: "chosen" },
    run: async ({ pos }) => plain(await pos.receiptFor({ ...REGION, ereceipt: true })),
    gives: paper("chosen"),
  },
  {
    name: "receiptFor: nothing",
    script: { receipts: "none" },
    run: async ({ pos }) => plain(await pos.receiptFor({ ...REGION, ereceipt: true, allowNone: true })),
    gives: { kind: "none", print: false, reason: "chosen", orderId: "1", locale: "en", cause: undefined },
  },
  {
    name: "receiptFor: a number",
    script: { receipts: PHONE },
    async run({ pos }) {
      const { consent, elapsedMs, metadataVersion, national, ...rest } = await pos.receiptFor({
        ...REGION,
        ereceipt: true,
      });
      const isComplete = [consent.at instanceof Date, typeof elapsedMs, typeof metadataVersion, typeof national];
      return { ...rest, consent: [consent.id, consent.locale, consent.text], isComplete };
    },
    gives: {
      kind: "ereceipt",
      print: false,
      phone: PHONE,
      region: "IL",
      phoneKind: "mobile",
      orderId: "1",
      consent: ["ereceipt-1", "en", "Your number is used for this receipt only."],
      isComplete: [true, "number", "string", "string"],
    },
  },
  {
    name: "receiptFor: how a number is written in its country",
    script: { receipts: PHONE },
    run: async ({ pos }) => (await pos.receiptFor({ ...REGION, ereceipt: true })).national,
    gives: "050-234-5678",
    lacks: "the number ranges, which are WebAssembly",
  },
  {
    name: "receiptFor: what onSend is given, and that it fails",
    script: { receipts: PHONE },
    async run({ pos }) {
      const given = [];
      const onSend = async ({ phone, orderId }, { attempt, idempotencyKey }) => {
        given.push(phone, orderId, attempt, idempotencyKey.length > 15);
        throw Object.assign(new Error("gateway"), { retryable: false });
      };
      return [plain(await pos.receiptFor({ ...REGION, ereceipt: true, onSend })), given];
    },
    gives: [paper("send_failed", "gateway"), [PHONE, "1", 1, true]],
  },
  {
    name: "receiptFor: aborted",
    script: { receipts: never() },
    async run({ pos }) {
      const stop = new AbortController();
      const asked = pos.receiptFor({ ...REGION, ereceipt: true, signal: stop.signal });
      stop.abort(new Error("route"));
      return plain(await asked);
    },
    gives: paper("aborted", "route"),
  },
  {
    name: "receiptFor: replaced by the next ask, which destroy ends",
    script: { receipts: never() },
    async run({ pos }) {
      const asks = [1, 2].map(() => pos.receiptFor({ ...REGION, ereceipt: true }));
      const first = plain(await asks[0]);
      pos.destroy();
      return [first, plain(await asks[1])];
    },
    gives: [paper("replaced"), paper("aborted")],
  },
];

// The merchant of the service's demo, for `--consent`: fills in the connect page's forms.
import { decide } from "../rig/merchant.mjs";

const { CONSENT_URL, CONSENT_DECISION, CONSENT_ERECEIPTS, DEMO_SETTINGS } = process.env;
const wishes = new URL(CONSENT_URL).searchParams;
wishes.set("decision", CONSENT_DECISION);
if (CONSENT_ERECEIPTS === "yes") wishes.set("ereceipts", "yes");
const { state } = await decide(JSON.parse(DEMO_SETTINGS), wishes);
if (!["finished", "cancelled"].includes(state)) throw new Error(`the connect page ends as ${state}`);

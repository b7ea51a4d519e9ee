// The store's profile and the customers list: what a back office sends.
import { client } from "./client.js";
import { Steps } from "./steps.js";

const steps = new Steps();
const byId = (id) => document.getElementById(id);
const form = byId("store-form");
const FIELDS = ["name", "phone", "website"];

async function load() {
  const { store, profile } = await (await client()).store.get();
  byId("store-name").textContent = store.name;
  for (const field of FIELDS) form.elements[field].value = profile[field] ?? "";
}

/** A merge patch: what was emptied is removed. */
async function save() {
  const patch = Object.fromEntries(FIELDS.map((field) => [field, form.elements[field].value.trim() || null]));
  steps.call("pos.store.update(patch)", "Receipts show it.");
  await (await client()).store.update(patch);
  steps.done("The store's profile is changed.");
}

/** Lines of "id,name,phone,email"; the first one names them. */
function customersIn(text) {
  const [head, ...rows] = text.split(/\r?\n/).filter((line) => line.trim());
  const names = head.split(",").map((name) => name.trim());
  return rows.map((row) => {
    const cells = row.split(",").map((cell) => cell.trim());
    const customer = Object.fromEntries(names.map((name, at) => [name, cells[at] || undefined]));
    const { id, ...rest } = customer;
    return { externalId: id, ...rest };
  });
}

async function upload(file) {
  const customers = customersIn(await file.text());
  steps.call("pos.customers.send(list)", `${customers.length} customers.`);
  const results = await (await client()).customers.send(customers);
  const refused = results.filter(({ result }) => result === "refused");
  steps.done(`${results.length - refused.length} customers kept.`, refused.length ? `${refused.length} refused.` : "");
  for (const { code, pointer } of refused.slice(0, 5)) steps.note(code, pointer);
}

/** Whatever fails is shown as the package says it. */
async function tell(work) {
  try {
    await work();
  } catch (error) {
    steps.failure(error);
  }
}

byId("store").addEventListener("toggle", ({ target }) => target.open && tell(load));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void tell(save);
});
byId("customers").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (file) await tell(() => upload(file));
  target.value = ""; // So that the same file can be chosen again.
});

// What the service knows of a merchant.

const ACCOUNT = { id: "account-1", name: "Corner Bakery" };
const STORE = { id: "store-1", name: "Market Street" };

/** A connection with these members. */
export const connected = ({ account = ACCOUNT, store = STORE, ereceipt = true, expiration = null }) => ({
  account,
  store,
  ereceipt,
  expiration,
});

export class Merchant {
  #profile;
  #customers;

  constructor({ profile = {}, customers = [] } = {}) {
    this.#profile = profile;
    this.#customers = new Set(customers);
  }

  get state() {
    return { profile: this.#profile, customers: [...this.#customers] };
  }

  profile(connection) {
    return { store: connection?.store ?? STORE, profile: merged({}, this.#profile) };
  }

  update(patch) {
    this.#profile = merged(this.#profile, patch);
  }

  customers(changes) {
    return changes.map(({ externalId, deleted }) => {
      const isKnown = this.#customers.has(externalId);
      if (deleted) return { externalId, result: this.#customers.delete(externalId) ? "deleted" : "not_found" };
      this.#customers.add(externalId);
      return { externalId, result: isKnown ? "updated" : "created" };
    });
  }
}

/** RFC 7396. */
function merged(target, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = merged(result[name], value);
  }
  return result;
}

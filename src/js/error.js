// Only JavaScript can extend Error. Everything is decided in src/error.rs; this carries it.
export class PosConnectError extends Error {
  constructor(message, fields, cause) {
    super(message, cause === undefined ? undefined : { cause });
    // Defined, because an assignment would end in what a page has put on Object.prototype.
    for (const [name, value] of Object.entries(fields)) {
      const member = { __proto__: null, value, configurable: true, enumerable: true, writable: true };
      Object.defineProperty(this, name, member);
    }
  }
  // On the prototype, as the built-in errors have it; a getter, because an assignment would be a side effect of
  // importing.
  get name() {
    return "PosConnectError";
  }
}

// Only JavaScript can extend Error. Everything is decided in src/core/error.rs; this carries it.
export class PosConnectError extends Error {
  constructor(message, fields, cause) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, fields);
  }
  // On the prototype, as the built-in errors have it; a getter, because an assignment would be a side effect of
  // importing.
  get name() {
    return "PosConnectError";
  }
  // Node and the browsers' consoles show the class's name, too, which is minified.
  static get name() {
    return "PosConnectError";
  }
  // The site's address is `homepage` in pkg-template/package.json.
  get docUrl() {
    return `https://pos-connect.example/errors.html#${this.code}`;
  }
  // `JSON.stringify` leaves an error's own message out.
  toJSON() {
    return { name: this.name, message: this.message, ...this };
  }
}

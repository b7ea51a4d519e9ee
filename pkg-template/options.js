// What `PosConnect.create` does in Rust, for the other functions that take options.

/** A misspelled option would be one that nobody reads. */
export function known(caller, options, names) {
  for (const name of Object.keys(options))
    if (!names.includes(name)) throw new TypeError(`${caller} has no option ${name}`);
}

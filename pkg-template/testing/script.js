// What a test has written down: what becomes of the calls, one after the other.

export class Script {
  #outcomes = {};

  /** An outcome, or a list of them, for each kind of call; the others stay as they are. */
  set(script) {
    for (const [name, outcomes] of Object.entries(script))
      if (outcomes !== undefined) this.#outcomes[name] = [outcomes].flat();
  }

  /** The outcome of the next call; the last one stays. */
  next(name) {
    const outcomes = this.#outcomes[name] ?? [];
    return outcomes.length > 1 ? outcomes.shift() : outcomes[0];
  }
}

// The states of the keypad, and how each comes about.

export const FULL = { allowNone: true, context: "Paid $11.91 · Order 1041" };
export const CHOICE = { languages: ["en", "he", "ar", "es"] };
export const VALID = "0502345678";
/** The size of the smallest text in the dialog at 200 %. */
export const LARGE = { "360x640": 17.5, "740x360": 20.5, "1024x600": 28, "1280x800": 28 };
export const ABROAD = "972502345678";

/**
 * What a file of states makes them with. `large`: the size of the smallest text at 200 %, for each size; at 100 % it is
 * 14 px.
 */
export function states(screens, large) {
  const leastText = ({ size, percent }) => (percent > 100 ? large[size.join("x")] : 14);
  const asks =
    (options = {}, then = async () => {}) =>
    async (view) => {
      await screens.call("ask", { locale: view.language, ...options });
      await then(view);
    };
  /** Opens the list of the languages, and chooses one of them, if one is named. */
  const lists = (language) => async () => {
    await screens.call("press", "language");
    if (language) await screens.call("choose", language);
  };
  const types = (digits) => () => screens.call("type", digits);
  /** Types too little or enough, and sends it. */
  const sends = (options, digits, tone) =>
    asks({ ...FULL, ...options }, async () => {
      await screens.call("type", digits);
      await screens.call("press", "send");
      await becomes(tone);
    });
  /** Waits for a tone, with which the keypad's clock stands still. */
  const becomes = async (tone) => {
    await screens.until("return screens.tone() === arguments[0]", `The keypad was never ${tone}.`, tone);
    await screens.call("hold");
  };
  const ends = (options, press) =>
    asks(options, async () => {
      await screens.call("type", VALID);
      await screens.call("press", press);
      await screens.until("return screens.shows('outcome')", "The outcome was never shown.");
      await screens.until("return screens.isLight()", "The outcome dims the page, as if it held it up.");
    });
  const keypad = (name, enter, more) =>
    screens.state(name, { enter, parts: [{ scope: "keypad" }], leastText, ...more });
  return { asks, lists, types, becomes, sends, ends, keypad };
}

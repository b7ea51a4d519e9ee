/** Stands for your own back end, which gets the tokens. A page that is loaded anew finds it up again. */
export const backEnd = { isDown: false };

/** The function that the package calls until it resolves: after a crash the next page's. */
export function persistTo(steps) {
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (backEnd.isDown) {
      steps.note(
        "The back end is down: not handed over.",
        "The tokens stay in this browser, encrypted. The package asks again, also after a reload.",
      );
      throw new Error("The back end is down.");
    }
    steps.done("Handed over.", "The back end has the tokens. This browser keeps none.");
  };
}

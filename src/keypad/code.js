// Loads the file that makes and draws the code, when an ask offers one: most pages never need it.
// In JavaScript for the reason that phone-panel.js gives.

/** A link that begins so, as a code. Rejects if the file cannot be loaded. */
export async function makeCode(receiptUrl) {
  const { makeCode } = await import("./elsewhere.js");
  return makeCode(receiptUrl);
}

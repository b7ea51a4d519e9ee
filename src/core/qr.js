// Loads the file that draws QR codes when one is asked for: most pages never need it.
// In JavaScript because bundlers look for a literal `import("…")`. This file is bundled into the package's core.js,
// and elsewhere.js lies beside that. One file for both codes: the server of wasm-bindgen's test runner can keep a fifth
// connection waiting for good (tiny_http 0.12, src/util/task_pool.rs).

/** Draws the QR code around the link in the panel. Rejects if the file cannot be loaded; the next call tries again. */
export async function fillPhonePanel(panel, link, texts) {
  const { fill } = await import("./elsewhere.js");
  fill(panel, link, texts);
}

/** A link that begins so, as a code. Rejects if the file cannot be loaded. */
export async function makeCode(receiptUrl) {
  const { makeCode } = await import("./elsewhere.js");
  return makeCode(receiptUrl);
}

// Loads the phone panel's file when the panel is first opened: most pages never need it.
// In JavaScript because bundlers look for a literal `import("…")`. This file is bundled into the package's core.js,
// and elsewhere.js lies beside that.

/** Draws the QR code around the link in the panel. Rejects if the file cannot be loaded; the next call tries again. */
export async function fillPhonePanel(panel, link, texts) {
  const { fill } = await import("./elsewhere.js");
  fill(panel, link, texts);
}

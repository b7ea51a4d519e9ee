// The entry for pages without modules: one classic script, which makes the global `posConnect`. It takes no other
// WebAssembly than the one that it was built with, so that the hash of the script pins both.
import { entry } from "./core.js";

// Known only while the script runs for the first time.
const place = document.currentScript.src;

export { formatPhoneAsYouType, parsePhone, phoneMetadataVersion, PosConnectError, version } from "./core.js";
export const { init, PosConnect, defineKeypad } = entry(() =>
  // The browser compares the hash before it gives a byte out.
  fetch(new URL("wasm/pos_connect_bg.wasm", place), { integrity: WASM_INTEGRITY }),
);

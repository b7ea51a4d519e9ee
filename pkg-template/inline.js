// The entry for builds that copy no assets, and for Node: the WebAssembly is inside, a third larger. No `data:` URL, so
// no CSP rule more.
import { entry } from "./core.js";
import { base64 } from "./wasm-base64.js";

export { formatPhoneAsYouType, parsePhone, phoneMetadataVersion, PosConnectError, version } from "./core.js";
export const { init, PosConnect, defineKeypad } = /* @__PURE__ */ entry(() =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
);

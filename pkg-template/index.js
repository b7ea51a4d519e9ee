// The default entry: fetches the WebAssembly that lies beside it. Bundlers look for exactly this `new URL` form.
import { entry } from "./core.js";

export { formatPhoneAsYouType, parsePhone, phoneMetadataVersion, PosConnectError, version } from "./core.js";
export const { init, PosConnect, defineKeypad } = /* @__PURE__ */ entry(
  () => new URL("./wasm/pos_connect_bg.wasm", import.meta.url),
);

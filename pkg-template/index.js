// The default entry: fetches the WebAssembly that lies beside it. Bundlers look for exactly this `new URL` form.
import { entry, formatPhoneAsYouType, parsePhone, phoneMetadataVersion, PosConnectError, version } from "./core.js";

const { init, PosConnect, defineKeypad } = /* @__PURE__ */ entry(
  () => new URL("./wasm/pos_connect_bg.wasm", import.meta.url),
);

export {
  init,
  PosConnect,
  PosConnectError,
  defineKeypad,
  formatPhoneAsYouType,
  parsePhone,
  phoneMetadataVersion,
  version,
};

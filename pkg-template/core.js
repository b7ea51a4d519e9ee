// What both entries share: loads the WebAssembly at most once, and only when something needs it.
import initialize, {
  PosConnect as Handle,
  PosConnectError,
  defineKeypad as define,
  formatPhoneAsYouType as format,
  parsePhone as parse,
  phoneMetadataVersion as version,
} from "./wasm/pos_connect.js";

export { PosConnectError };

// True once these can be called without waiting.
let ready = false;

export const parsePhone = loaded("parsePhone", (...given) => parse(...given));
export const formatPhoneAsYouType = loaded("formatPhoneAsYouType", (...given) => format(...given));
export const phoneMetadataVersion = loaded("phoneMetadataVersion", () => version());

function loaded(operation, call) {
  return (...given) => {
    if (!ready) throw failure("not_initialized", "The WebAssembly is not loaded: await init() first.", true, undefined, operation);
    return call(...given);
  };
}

// One for both entries: a second load would replace the memory under the first one's handles.
let loading;

/**
 * Builds an entry's exports around its default module source.
 * @param {() => unknown} defaultModule gives what to load when `init` is not told; called only then.
 */
export function entry(defaultModule) {
  function init(options) {
    loading ??= load(options).catch((error) => {
      // Forgotten, so that a till which boots offline heals with the next call.
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function load(options) {
    if (typeof WebAssembly !== "object") throw failure("unsupported_browser", "This browser has no WebAssembly.", false);
    if (options !== undefined && (options === null || typeof options !== "object")) {
      throw failure("invalid_option", "init takes an object with `module`.", false);
    }
    try {
      await initialize({ module_or_path: await (options?.module ?? defaultModule()) });
    } catch (cause) {
      const hint = "The WebAssembly could not be loaded: is it reachable, served as application/wasm, and does script-src hold 'wasm-unsafe-eval'?";
      throw failure("load_failed", hint, true, cause);
    }
    ready = true;
  }

  class PosConnect {
    constructor() {
      throw new TypeError("Use await PosConnect.create(options).");
    }
    static async create(options) {
      await init();
      return Handle.create(options);
    }
    static [Symbol.hasInstance](value) {
      return value instanceof Handle;
    }
  }

  async function defineKeypad(name) {
    await init();
    return define(name);
  }

  return { init, PosConnect, defineKeypad };
}

function failure(code, message, retryable, cause, operation = "init") {
  return new PosConnectError(message, { code, retryable, operation }, cause);
}

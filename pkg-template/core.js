// What both entries share: loads the WebAssembly at most once, and only when something needs it.
import initialize, {
  PosConnect as Handle,
  PosConnectError,
  defineKeypad as define,
  formatPhoneAsYouType as format,
  parsePhone as parse,
} from "./wasm/pos_connect.js";

import { addState } from "./state.js";

export { PosConnectError };
export const version = VERSION;

// True once these can be called without waiting.
let ready = false;

export const parsePhone = (input, options) => phone(call("parsePhone", parse, input, options).split("\n"), 0);
export const formatPhoneAsYouType = (input, options) => call("formatPhoneAsYouType", format, input, options);
export const phoneMetadataVersion = () => call("phoneMetadataVersion", parse, "").split("\n")[7];

// Nothing here makes an object: it is called at each key.
function call(operation, run, input, options) {
  if (!ready)
    throw failure("not_initialized", "The WebAssembly is not loaded: await init() first.", true, undefined, operation);
  const region = member(options, "region", operation);
  if (typeof input !== "string") throw wrong("input: is not a text", operation);
  return run(input, letters(region));
}

// `Object.hasOwn` would need Chromium 93.
const hasOwn = (object, name) => Object.prototype.hasOwnProperty.call(object, name);

// The only member that these options may have. What a page has put on Object.prototype is none.
function member(options, only, operation) {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object") throw wrong("options: is not an object", operation);
  let odd;
  let name = "options";
  try {
    for (const own in options) if (own !== only && hasOwn(options, own)) odd = own;
    if (odd === undefined) {
      if (!hasOwn(options, only)) return undefined;
      name = only;
      return options[only];
    }
  } catch (cause) {
    throw failure("invalid_option", `${name}: reading it threw an error`, false, cause, operation);
  }
  throw wrong(`${odd}: is not an option`, operation);
}

// As src/client/phone.rs reads them: 0 is no region, 1 is a wrong one.
function letters(region) {
  if (region === undefined || region === null) return 0;
  return typeof region === "string" && region.length === 2 ? (region.charCodeAt(0) << 16) | region.charCodeAt(1) : 1;
}

function wrong(what, operation) {
  return failure("invalid_option", what, false, undefined, operation);
}

// The lines that src/client/phone.rs wrote; a suggestion's come after those of the number. The last one is empty.
function phone(lines, from) {
  const number = {
    verdict: lines[from],
    e164: lines[from + 1] || null,
    national: lines[from + 2] || null,
    international: lines[from + 3] || null,
    region: lines[from + 4] || null,
    kind: lines[from + 5] || null,
    deadEnd: lines[from + 6] === "1",
    metadataVersion: lines[from + 7],
  };
  if (lines[from + 8]) number.extension = lines[from + 8];
  if (lines.length > from + 10) number.suggestion = phone(lines, from + 9);
  return number;
}

// `(module (memory 1) (func (memory.fill (i32.const 0) (i32.const 0) (i32.const 0))))`: the newest feature that the
// WebAssembly needs.
const BULK_MEMORY = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 10, 13, 1, 11, 0, 65, 0, 65, 0, 65, 0, 252,
  11, 0, 11,
];
const TOO_OLD = "This browser is too old: the SDK needs Chromium 88, Firefox 98, Safari 15.4, or a newer one.";

// One for both entries: a second load would replace the memory under the first one's handles.
let loading;

/**
 * Builds an entry's exports around its default module source.
 * @param {() => unknown} defaultModule gives what to load when `init` is not told; called only then.
 */
export function entry(defaultModule) {
  async function init(options) {
    const module = member(options, "module", "init");
    loading ??= load(module).catch((error) => {
      // Forgotten, so that a till which boots offline heals with the next call.
      loading = undefined;
      throw error;
    });
    return loading;
  }

  async function load(module) {
    if (!globalThis.TextDecoder) throw failure("unsupported_browser", "TextDecoder is missing.", false);
    let from;
    try {
      from = await (module ?? defaultModule());
      await initialize({ module_or_path: from });
    } catch (cause) {
      // Asked only now, so that a browser that is new enough does not wait for the answer.
      if (typeof WebAssembly !== "object" || !WebAssembly.validate(Uint8Array.from(BULK_MEMORY)))
        throw failure("unsupported_browser", TOO_OLD, false, cause);
      // Without a query, which is the page's own.
      const at = from instanceof URL ? ` at ${from.origin}${from.pathname}` : "";
      const moved = at.includes("/.vite/") ? " Vite has moved the package: add it to optimizeDeps.exclude." : "";
      const hint =
        typeof document === "object"
          ? `The WebAssembly${at} could not be loaded: is it reachable (some bundlers need "pos-connect/inline"), ` +
            "served as application/wasm, and does script-src hold 'wasm-unsafe-eval', and connect-src the file's own " +
            `origin?${moved}`
          : 'The WebAssembly could not be loaded. Without a page, import "pos-connect/inline", which has it inside.';
      throw failure("load_failed", hint, true, cause);
    }
    try {
      // So that an element which stands in the page can be asked. Where there are no elements, or the name is
      // somebody else's, only defineKeypad() is refused.
      define();
    } catch {}
    // Unpacks the table of numbers: a millisecond that no shopper's first key shall take.
    format("", 0);
    ready = true;
  }

  // Where they have names that no minifier shortens.
  return {
    init,
    PosConnect: class {
      constructor() {
        throw new TypeError("Use await PosConnect.create(options).");
      }
      static async create(options) {
        await init();
        const client = Handle.create(options);
        // The getters make another object at each access, on which no test could spy. Configurable: the proxies of
        // Vue's `reactive` may give another value then.
        for (const name of ["orders", "store", "customers"])
          Object.defineProperty(client, name, { value: client[name], configurable: true, enumerable: true });
        addState(client);
        return client;
      }
      static [Symbol.hasInstance](value) {
        return value instanceof Handle;
      }
    },
    async defineKeypad(name) {
      await init();
      return define(name);
    },
  };
}

function failure(code, message, retryable, cause, operation = "init") {
  const advice = retryable ? "retry" : "fix";
  return new PosConnectError(message, { code, retryable, advice, operation }, cause);
}

// Errors of the package, made by their code alone.
import { PosConnectError } from "pos-connect-errors";

export { PosConnectError };

/** `ERRORS` has the message and `retryable` of each code; the build takes them from src/core/error.rs. */
export function posConnectError(code, { message, operation = "connect", cause, ...fields } = {}) {
  if (!Object.hasOwn(ERRORS, code)) throw new TypeError(`${code} is no code of a PosConnectError.`);
  const [retryable, sentence] = ERRORS[code];
  return new PosConnectError(message ?? sentence, { code, retryable, operation, ...fields }, cause);
}

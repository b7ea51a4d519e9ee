// Errors of the package, made by their code alone.
import { PosConnectError } from "pos-connect-errors";

export { PosConnectError };

/** `ERRORS` has the advice and the message of each code; the build takes them from src/core/error.rs. */
export function posConnectError(code, { message, operation = "connect", cause, ...fields } = {}) {
  if (!Object.hasOwn(ERRORS, code)) throw new TypeError(`${code} is no code of a PosConnectError.`);
  const [advice, sentence] = ERRORS[code];
  const retryable = advice === "retry";
  return new PosConnectError(message ?? sentence, { code, retryable, advice, operation, ...fields }, cause);
}

// What the cases share.

export const PHONE = "+972502345678";
export const REGION = { orderId: "1", region: "IL" };
export const ORDER = {
  externalId: "1041",
  time: "2026-11-24T10:30:00+02:00",
  currency: "ILS",
  total: 1190,
  lines: [{ name: "Bread", quantity: 1, amount: 1190 }],
};
export const MESSAGE = { ...ORDER, ereceipt: { phone: PHONE, consent: { id: "ereceipt-1" } } };
export const never = () => new Promise(() => {});
export const connected = (script, ereceipt = true) => ({ connection: { ereceipt }, ...script });

/** What a rejection says, whoever made it. */
export const failed = (promise) =>
  promise.then(
    () => "no error",
    ({ name, code, retryable, operation, cause }) => ({ name, code, retryable, operation, cause: cause?.message }),
  );
export const error = (code, operation, retryable = false, cause) => ({
  name: "PosConnectError",
  code,
  retryable,
  operation,
  cause,
});

/** What a result of sending says. */
export const shown = ({ state, externalId, print, ereceipt, error: why }) => ({
  state,
  externalId,
  print,
  ereceipt,
  error: why?.code,
});

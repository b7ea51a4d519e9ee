// One line for every code of `PosConnectError`: what a till, or the person before it, does next.
const advice = {
  invalid_option: "Correct the option that the message names.",
  unsupported_browser:
    "Use a current browser; this one lacks WebAssembly or a part of the web platform that is needed.",
  insecure_context: "Open the till by https. On a plain http address nothing can be kept safely.",
  vault_failed:
    "This browser cannot keep the tokens: leave private mode, or free some space. Then try again; nothing is lost.",
  not_initialized: "Call `await init()` (or create a `PosConnect`) before the functions that do not wait.",
  load_failed: "The WebAssembly did not load. Check the network and `script-src`, then call again.",
  aborted: "Nothing: your own signal ended the wait. Start again whenever you like.",
  destroyed: "Nothing: this page called `destroy()`.",
  closed: "Nothing: the merchant closed the frame. Offer the button again.",
  cancelled: "Nothing: the merchant said no. Offer the button again.",
  wait_timeout: "The merchant did not decide in time. Start a new integration.",
  timeout: "The service took too long. Try again.",
  network: "No answer came: the device is offline or the service is down. Try again later.",
  headers_failed: "Your `headers` function failed; its error is the `cause`. Try again when it works.",
  access_token_failed: "The back end gave no access token. Connect again, or try again when it works.",
  protocol: "The answer is not what the service should send. Check `baseUrl`, then tell the operator.",
  csp_blocked: "This page's own policy blocks the frame. Add the connect URL's origin to `frame-src`.",
  invalid_request: "The service could not read the call. Update the package, or tell its makers.",
  invalid_client: "The service does not know this `clientId`. Check it with the operator.",
  invalid_secret: "The `clientSecret` is wrong or was replaced. Ask the operator for the current one.",
  invalid_integration: "The service does not know this integration. Start a new one.",
  forbidden: "The service refuses this call. Ask the operator, and name the request id.",
  origin_not_allowed: "Have the operator register this page's origin for your vendor account.",
  unauthorized: "The relay does not accept this till. Check what `headers` returns.",
  rate_limited: "Too many calls. Wait as long as `retryAfterMs` says.",
  not_finished: "The merchant has not finished. Wait for `finished`, then fetch.",
  already_finished: "The merchant was faster: fetch the tokens instead of canceling.",
  integration_cancelled: "The integration was canceled, there are no tokens. Start a new one.",
  integration_expired: "The integration ran out. Start a new one.",
  tokens_already_retrieved:
    "Someone with your keys was first. Start a new integration; if it was not you, replace the secret.",
  tokens_lost: "The answer with the tokens got lost on the way. Start a new integration.",
  invalid_body: "The service refused a member of what was sent: `pointer` names it. Correct it, and send it again.",
  too_large: "Send less at once.",
  idempotency_key_reused: "Make a new key for each list.",
  order_exists: "Another sale has this id. Give each order an id of its own.",
  ereceipt_not_enabled: "The merchant has not enabled e-receipts. Print.",
  too_many_messages: "As many text messages as a day has went to this number, or left this till or store. Print.",
  unknown_sealing_key: "The order waited too long: nobody can read the shopper's number any more. Print.",
  not_connected: "The merchant is not connected. Connect; orders wait in the outbox.",
  connection_ended: "The connection has ended. Connect again; orders wait in the outbox.",
  tokens_handed_out: "The relay has no tokens. Let it keep them, or give `accessToken`.",
  other_account: "This merchant is known with another account or store. Choose those, or ask the relay's operator.",
  outbox_full: "Too many orders wait, or were refused. Look at the outbox.",
  upstream_refused:
    "The relay's own client id or secret is wrong or was replaced. Its operator has to set the current one.",
  server_error: "The service failed. Try again; if it stays, give the operator the request id.",
  unexpected_status: "Something else answers at `baseUrl`. Check the address.",
};

export const knownCodes = Object.keys(advice);

export const adviceFor = (code) => advice[code] ?? "An unknown code: the package is newer than this page.";

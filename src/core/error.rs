//! What can go wrong, as a vendor's developer sees it: one code each, decided in one place.

mod operation;
mod source;

pub use self::operation::Operation;
pub use self::source::{Refusals, Source};

use crate::core::named_enum::named_enum;
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{PickupOwner, ProblemCode};
use serde::{Deserialize, Serialize};

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $advice:ident, $message:literal;)+) => {
        named_enum! {
            /// Every reason for a `PosConnectError`, by the word in its `code`, in the order of `index.d.ts`.
            ErrorCode { $(#[doc = $message] $(#[$doc])* $name = $word,)+ }
        }

        impl ErrorCode {
            /// Whether the same call can work later without anything being changed.
            pub const fn retryable(self) -> bool {
                match self { $(Self::$name => matches!(Advice::$advice, Advice::Retry)),+ }
            }
            /// Who can help. Inlined, it would be a table of texts.
            #[inline(never)]
            pub const fn advice(self) -> Advice { match self { $(Self::$name => Advice::$advice),+ } }
            /// One sentence for the developer.
            pub const fn message(self) -> &'static str { match self { $(Self::$name => $message),+ } }
        }
    };
}

named_enum! {
    /// Who can help, by the word in a `PosConnectError`'s `advice`.
    Advice {
        /// The same call, later, without anything being changed.
        Retry = "retry",
        /// The merchant, who connects, or connects again.
        Connect = "connect",
        /// The vendor: it is the page's own doing.
        Fix = "fix",
        /// Who operates the service or the relay.
        Support = "support",
    }
}

error_codes! {
    /// An option is missing or wrong; the message names it.
    InvalidOption = "invalid_option", Fix, "Wrong option.";
    /// The browser lacks something that the SDK cannot do without.
    UnsupportedBrowser = "unsupported_browser", Fix, "This browser lacks what the SDK needs.";
    /// No locks and no encryption: http on a LAN.
    InsecureContext = "insecure_context", Fix,
        "This page is not in a secure context: serve it over HTTPS, or set vault: \"memory\".";
    /// Private mode, no space left, blocked by another page, or broken.
    VaultFailed = "vault_failed", Retry, "The browser's storage failed.";
    /// Made by `core.js`, where there is no WebAssembly yet, with another message.
    LoadFailed = "load_failed", Retry, "Not loaded.";
    /// Made by `core.js`, with another message, for what works only with the WebAssembly and does not wait for it.
    NotInitialized = "not_initialized", Retry, "Not loaded.";
    /// The caller's signal.
    Aborted = "aborted", Fix, "The caller aborted.";
    Destroyed = "destroyed", Fix, "The object was destroyed.";
    Closed = "closed", Connect, "The frame was closed before the merchant decided.";
    /// The merchant pressed Cancel, or the integration expired.
    Cancelled = "cancelled", Connect, "The integration was cancelled.";
    WaitTimeout = "wait_timeout", Connect, "The merchant did not decide in time.";
    Timeout = "timeout", Retry, "No answer in time.";
    /// No answer: offline, refused, or an answer that the browser hides from the page.
    Network = "network", Retry, "No answer: offline, a wrong baseUrl, CORS or connect-src.";
    /// `headers` threw or rejected.
    HeadersFailed = "headers_failed", Retry, "The headers function failed.";
    /// `accessToken` threw or rejected, or gave no token.
    AccessTokenFailed = "access_token_failed", Retry, "The accessToken function failed.";
    Protocol = "protocol", Support, "The service's answer is not as in the specification.";
    CspBlocked = "csp_blocked", Fix,
        "This page's Content-Security-Policy blocks the frame: add its origin to frame-src.";
    InvalidRequest = "invalid_request", Fix, "The service did not understand the request.";
    /// §7: 400 on creating.
    InvalidClient = "invalid_client", Fix, "The clientId is not known.";
    /// §7: 403 on creating.
    InvalidSecret = "invalid_secret", Fix, "The client secret is not correct.";
    /// §7: 403 on picking the tokens up.
    InvalidIntegration = "invalid_integration", Connect, "The integration token is not correct.";
    /// §7: 403 on the status, where the service does not say which of the two it means.
    Forbidden = "forbidden", Fix, "The integration token or the client secret is not correct.";
    /// The relay, or the service for this vendor, does not list this page's origin.
    OriginNotAllowed = "origin_not_allowed", Support, "This page's origin is not registered.";
    /// 401: the relay does not know this till, or the service the access token.
    Unauthorized = "unauthorized", Fix, "This till's headers, or its access token, were missing or not accepted.";
    /// 429
    RateLimited = "rate_limited", Retry, "Too many calls.";
    /// 409: pending.
    NotFinished = "not_finished", Retry, "The merchant has not finished the integration.";
    /// 409 on cancelling: too late.
    AlreadyFinished = "already_finished", Connect, "The integration is already finished.";
    /// 409: cancelled.
    IntegrationCancelled = "integration_cancelled", Connect, "The integration was cancelled: there are no tokens.";
    /// 409: expired.
    IntegrationExpired = "integration_expired", Connect, "The integration has expired: there are no tokens.";
    /// §7: 410, and no request of ours went unanswered.
    TokensAlreadyRetrieved = "tokens_already_retrieved", Connect, "The tokens were already retrieved.";
    /// §7: 410 after a request of ours went unanswered.
    TokensLost = "tokens_lost", Connect, "The tokens were lost on the way, or someone else took them with these keys.";
    /// The service refused a member of what was sent; `pointer` names it.
    InvalidBody = "invalid_body", Fix, "The service refused what was sent.";
    /// 413: too many items, or too many bytes.
    TooLarge = "too_large", Fix, "More than one call can take.";
    /// 422: the same key came with another body before.
    IdempotencyKeyReused = "idempotency_key_reused", Fix, "The idempotency key was used for another body.";
    /// 409: the order's external id is taken.
    OrderExists = "order_exists", Fix, "Another order has this externalId.";
    /// 403: the merchant did not consent to e-receipts.
    EreceiptNotEnabled = "ereceipt_not_enabled", Connect, "The merchant has not enabled e-receipts.";
    /// 422: as many text messages as a day has went to this number, or left this till or store.
    TooManyMessages = "too_many_messages", Support, "Too many text messages today.";
    UnknownSealingKey = "unknown_sealing_key", Support,
        "The phone number was sealed for a key that the service does not have any more.";
    NotConnected = "not_connected", Connect, "The merchant is not connected.";
    ConnectionEnded = "connection_ended", Connect, "The connection has ended: the merchant has to connect again.";
    /// The relay gave the tokens away, so it cannot make the call.
    TokensHandedOut = "tokens_handed_out", Fix, "The relay has no tokens: it handed them out.";
    /// The relay keeps its merchants to their accounts.
    OtherAccount = "other_account", Connect, "The relay knows this merchant with another account or store.";
    OutboxFull = "outbox_full", Retry, "The outbox is full.";
    /// 502: the service does not accept the relay's own client id or secret.
    UpstreamRefused = "upstream_refused", Support, "The service refused the relay's own client id or secret.";
    /// 5xx
    ServerError = "server_error", Retry, "The service failed.";
    /// Any other status.
    UnexpectedStatus = "unexpected_status", Fix, "The service's status is not in the specification.";
}

/// Detail of the `protocol` error for a body that cannot be parsed.
pub const NOT_JSON: &str = "The body is not JSON.";

/// An error before it becomes a JavaScript object. Holds no secret, no token, and no URL but `baseUrl`.
///
/// Kept with an order, and told to other pages; what is skipped matters only to the call that has failed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Error {
    /// Why.
    pub code: ErrorCode,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// Milliseconds that the service asked to wait.
    pub retry_after_ms: Option<f64>,
    /// The answer's request id.
    pub request_id: Option<String>,
    /// What exactly, beside the code's own sentence.
    pub detail: Option<String>,
    /// Whose pick-up it was, where a 410 says so.
    #[serde(skip)]
    pub pickup_owner: Option<PickupOwner>,
    /// The member of the body that was wrong, as a JSON pointer (RFC 6901).
    pub pointer: Option<String>,
    /// The service's own word for it.
    #[serde(skip)]
    pub service_code: Option<String>,
    /// Who made the answer, where there was one.
    #[serde(skip)]
    pub source: Option<Source>,
}

impl Error {
    /// An error that no answer caused.
    pub const fn new(code: ErrorCode) -> Self {
        Self {
            code,
            status: None,
            retry_after_ms: None,
            request_id: None,
            detail: None,
            pickup_owner: None,
            pointer: None,
            service_code: None,
            source: None,
        }
    }

    /// The part that is kept with an order.
    pub fn to_stored(&self) -> Self {
        Self {
            pickup_owner: None,
            service_code: None,
            source: None,
            ..self.clone()
        }
    }

    /// Whether it is not known what the call did: nobody answered, the service failed, or something on the way to the
    /// service answered in its place.
    pub fn is_no_answer(&self) -> bool {
        let code = matches!(
            self.code,
            ErrorCode::Network | ErrorCode::Timeout | ErrorCode::ServerError
        );
        code || self.source == Some(Source::Intermediary)
    }

    /// Adds what exactly was wrong; never a value that was sent.
    pub fn detail(mut self, parts: &[&str]) -> Self {
        self.detail = Some(parts.concat());
        self
    }

    /// Says which member of the body it was, and what it must be, for people.
    pub fn names_member(self, pointer: &str, rule: Option<&str>) -> Self {
        let member = ["It names the member ", pointer].concat();
        match rule {
            Some(rule) => self.detail(&[&member, ", which must be ", rule, "."]),
            None => self.detail(&[&member, "."]),
        }
    }

    /// Whether the body may have been cut on its way: WebKit hands a cut one out as if it were whole.
    pub fn may_be_cut(&self) -> bool {
        self.code == ErrorCode::Protocol && self.detail.as_deref() == Some(NOT_JSON)
    }

    /// The text for people.
    pub fn message(&self) -> String {
        // Here the detail says it all: which option, and what is wrong with it.
        if let (ErrorCode::InvalidOption, Some(detail)) = (self.code, &self.detail) {
            return detail.clone();
        }
        let mut text = String::from(self.code.message());
        if let Some(detail) = &self.detail {
            text += " ";
            text += detail;
        }
        text
    }
}

/// Maps the status of a refusal that no proxy made, and the service's own word for it if it sends one, to a code (§7).
///
/// The word counts only together with the status that belongs to it, so that a stray body can't turn one error into
/// another.
pub fn refusal(operation: Operation, status: u16, word: Option<&str>) -> ErrorCode {
    let relays = word.and_then(RelayProblemCode::parse);
    let meant = relays.filter(|problem| problem.status() == status);
    if let Some(code) = meant.and_then(code_of_relay) {
        return code;
    }
    let problem = word.and_then(ProblemCode::parse);
    let meant = problem.filter(|problem| problem.status() == status);
    if let Some(code) = meant.and_then(code_of) {
        return code;
    }
    match (status, operation) {
        (400, Operation::CreateIntegration) => ErrorCode::InvalidClient,
        (400 | 415 | 422, operation) if operation.is_for_merchant() => ErrorCode::InvalidBody,
        (400 | 414, _) => ErrorCode::InvalidRequest,
        (401, _) => ErrorCode::Unauthorized,
        (403, Operation::CreateIntegration) => ErrorCode::InvalidSecret,
        (403, Operation::FetchTokens) => ErrorCode::InvalidIntegration,
        (403, _) => ErrorCode::Forbidden,
        (409, Operation::FetchTokens) => ErrorCode::NotFinished,
        (410, Operation::FetchTokens) => ErrorCode::TokensAlreadyRetrieved,
        // Another word of ours says something else, such as that nobody is connected.
        (409, Operation::SendOrder) if relays.is_none() && problem.is_none() => {
            ErrorCode::OrderExists
        }
        (413, operation) if operation.is_for_merchant() => ErrorCode::TooLarge,
        (429, _) => ErrorCode::RateLimited,
        (500..=599, _) => ErrorCode::ServerError,
        _ => ErrorCode::UnexpectedStatus,
    }
}

/// What a word says beyond its status and the call; `None` if it says no more. Most words are codes of ours, too.
fn code_of(problem: ProblemCode) -> Option<ErrorCode> {
    match problem {
        ProblemCode::MalformedRequest
        | ProblemCode::MissingParameter
        | ProblemCode::RepeatedParameter
        | ProblemCode::InvalidParameter => Some(ErrorCode::InvalidRequest),
        ProblemCode::ReissueOtherPickup => Some(ErrorCode::TokensAlreadyRetrieved),
        ProblemCode::IntegrationFinished => Some(ErrorCode::AlreadyFinished),
        ProblemCode::ReissueUsed | ProblemCode::ReissueExhausted | ProblemCode::ReissueExpired => {
            Some(ErrorCode::TokensLost)
        }
        ProblemCode::UnsupportedMediaType
        | ProblemCode::MissingMember
        | ProblemCode::InvalidMember
        | ProblemCode::UnknownMember
        | ProblemCode::RepeatedMember
        | ProblemCode::InvalidIdempotencyKey => Some(ErrorCode::InvalidBody),
        ProblemCode::ContentTooLarge | ProblemCode::TooManyItems => Some(ErrorCode::TooLarge),
        _ => ErrorCode::named(problem.as_str()),
    }
}

/// The code for a word of the relay's.
fn code_of_relay(problem: RelayProblemCode) -> Option<ErrorCode> {
    match problem {
        RelayProblemCode::BodyTooLarge => Some(ErrorCode::TooLarge),
        _ => ErrorCode::named(problem.as_str()),
    }
}

/// Whether a text can be shown as a request id; anything longer or odder might be an echo of what was sent.
pub fn is_request_id(text: &str) -> bool {
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-');
    !text.is_empty() && text.len() <= 64 && text.as_bytes().iter().all(is_plain)
}

/// `Retry-After` as delay in seconds (RFC 9110 §10.2.3) → milliseconds. `None` for the date form, which needs a
/// calendar.
pub fn retry_after_seconds(header: &str) -> Option<f64> {
    let digits = header.trim_ascii();
    let is_number = digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: u32 = digits.parse().ok().filter(|_| is_number)?;
    Some(f64::from(seconds) * 1000.0)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

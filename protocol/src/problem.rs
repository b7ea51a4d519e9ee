//! Error answers: `application/problem+json` (RFC 9457) with the spec's `success` kept (extension; §7 leaves the body
//! open).

use crate::{Field, Number, PickupOwner};
use serde::{Deserialize, Serialize};

/// Body of every answer that is not 200 or 204. It names what was wrong, never a value that was sent.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Always false.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub success: Field<bool>,
    /// For programs: a [`ProblemCode`], or one of a relay's own. Any text: a reader repeats words that it does not
    /// know.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub code: Field<String>,
    /// For people; the same for every problem of this code.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub title: Field<String>,
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub status: Field<Number>,
    /// Name of the offending parameter, where there is one.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub parameter: Field<String>,
    /// The offending member of the body, as a JSON pointer (RFC 6901), where there is one.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub pointer: Field<String>,
    /// What the member must be, as `a text of 1 to 200 characters, without control characters`. For people.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub rule: Field<String>,
    /// Whose pick-up it was; only for a call that carries a `pickup_id`.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub pickup: Field<PickupOwner>,
    /// The word of RFC 6749 §5.2; only where that one rules.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub error: Field<String>,
    /// The `X-Request-Id` of this answer, to be found in the operator's log.
    #[serde(default, skip_serializing_if = "Field::is_missing")]
    pub request_id: Field<String>,
}

/// Words that each belong to an HTTP status and a sentence for people.
macro_rules! problem_codes {
    (
        $(#[$about:meta])* $kind:ident;
        $($(#[$doc:meta])* $name:ident = $word:literal, $status:literal, $title:literal;)+
    ) => {
        $crate::word::words! { $(#[$about])* $kind; $(#[doc = $title] $(#[$doc])* $name = $word;)+ }

        impl $kind {
            /// The HTTP status it goes with.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status),+ } }
            /// One sentence for people.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title),+ } }
        }
    };
}

pub(crate) use problem_codes;

problem_codes! {
    /// Why a call was refused, in the order of precedence.
    ProblemCode;
    NotFound = "not_found", 404, "There is nothing at this path.";
    MethodNotAllowed = "method_not_allowed", 405, "This path does not answer that method.";
    UriTooLong = "uri_too_long", 414, "The query string is too long.";
    /// The query is not well-formed percent-encoded UTF-8, or the request has a body where none belongs.
    MalformedRequest = "malformed_request", 400, "The request is malformed.";
    MissingParameter = "missing_parameter", 400, "A required parameter is missing or empty.";
    /// A parameter stands there more than once (RFC 6749 §3.1).
    RepeatedParameter = "repeated_parameter", 400, "A parameter was sent more than once.";
    InvalidParameter = "invalid_parameter", 400, "A parameter does not have the form it must have.";
    /// The only exchange there is takes a refresh token (RFC 6749 §5.2).
    UnsupportedGrantType = "unsupported_grant_type", 400, "The grant_type must be refresh_token.";
    /// A prefetch must not consume anything.
    PrefetchRefused = "prefetch_refused", 400, "This call is not answered to a prefetch.";
    /// §7: client_id is incorrect, or the vendor is disabled.
    InvalidClient = "invalid_client", 400, "The client_id is not known.";
    /// §7: client_secret is incorrect.
    InvalidSecret = "invalid_secret", 403, "The client_secret is not correct.";
    /// No access token in the Authorization header (RFC 6750 §3.1).
    MissingToken = "missing_token", 401, "An access token is missing in the Authorization header.";
    /// The access token is unknown, expired, replaced or revoked (RFC 6750 §3.1).
    InvalidToken = "invalid_token", 401, "The access token is not valid.";
    OriginNotAllowed = "origin_not_allowed", 403, "This origin is not registered for the vendor.";
    /// §7: the integration token is incorrect, which includes another vendor's.
    InvalidIntegration = "invalid_integration", 403, "The integration_token is not correct.";
    /// Called again too soon (RFC 8628 `slow_down`).
    SlowDown = "slow_down", 429, "Too many calls; wait as long as Retry-After says.";
    /// The vendor's tills have stored too much for the store, on this day or in all.
    StorageQuota = "storage_quota", 429,
        "Too much is stored for this store; wait as long as Retry-After says.";
    /// The call takes bodies of another kind, or plain ones (RFC 9110 §15.5.16).
    UnsupportedMediaType = "unsupported_media_type", 415,
        "The call does not take this Content-Type or Content-Encoding.";
    /// The body is longer than the call takes: 1 MiB of JSON, 16 KiB of a form (RFC 9110 §15.5.14).
    ContentTooLarge = "content_too_large", 413, "The body is longer than the call takes.";
    TooManyItems = "too_many_items", 413, "The list has more than 1,000 items.";
    /// A required member of the body is missing or `null`.
    MissingMember = "missing_member", 422, "A required member of the body is missing.";
    InvalidMember = "invalid_member", 422, "A member of the body does not have the form it must have.";
    /// The body has a member that nothing reads: a misspelled one would be lost in silence.
    UnknownMember = "unknown_member", 422, "The body has a member that the service does not know.";
    RepeatedMember = "repeated_member", 422, "A member of the body was sent more than once.";
    UnknownSealingKey = "unknown_sealing_key", 422,
        "The phone number is sealed for a key that the service does not have.";
    InvalidIdempotencyKey = "invalid_idempotency_key", 400,
        "The Idempotency-Key must be one value of 1 to 64 visible ASCII characters.";
    /// The Idempotency-Key was used with another body (draft-ietf-httpapi-idempotency-key-header §2.7).
    IdempotencyKeyReused = "idempotency_key_reused", 422, "The Idempotency-Key was used with another body.";
    /// The merchant did not enable e-receipts (§2.2).
    EreceiptNotEnabled = "ereceipt_not_enabled", 403, "The merchant has not enabled e-receipts.";
    /// So many text messages go to one number, or leave one till or store, in a day. 422: a client that does not know
    /// the word hears which member to leave out, where a 429 would keep the order waiting.
    TooManyMessages = "too_many_messages", 422, "Too many text messages today.";
    /// There is another order of this external id.
    OrderExists = "order_exists", 409, "Another sale with this externalId was accepted before.";
    OrderNotFound = "order_not_found", 404, "There is no order with this externalId.";
    IntegrationPending = "integration_pending", 409, "The merchant has not finished the integration.";
    /// There is no token set: the integration was cancelled.
    IntegrationCancelled = "integration_cancelled", 409, "The integration was cancelled.";
    /// There is no token set: nobody decided in time, or nobody picked it up in time.
    IntegrationExpired = "integration_expired", 409, "The integration has expired.";
    IntegrationFinished = "integration_finished", 409, "The integration is already finished.";
    /// §7: the token set was already picked up.
    TokensAlreadyRetrieved = "tokens_already_retrieved", 410, "The tokens were already retrieved.";
    /// Nothing to reissue yet: the token call itself still works.
    TokensNotRetrieved = "tokens_not_retrieved", 409, "The tokens were not retrieved yet; retrieve them.";
    /// The token set was picked up with another `pickup_id`, or without one.
    ReissueOtherPickup = "reissue_other_pickup", 403, "The tokens were retrieved by another pick-up.";
    /// A token of the set was used, so its answer did arrive.
    ReissueUsed = "reissue_used", 409, "The tokens were already used.";
    ReissueExpired = "reissue_expired", 410, "The tokens were retrieved too long ago.";
    ReissueExhausted = "reissue_exhausted", 409, "The tokens were already reissued too often.";
    /// The refresh token is unknown, expired, spent or revoked, or another vendor's (RFC 6749 §5.2).
    InvalidGrant = "invalid_grant", 400, "The refresh token is not valid.";
    /// A fault of the service; the request id finds it in the log.
    InternalError = "internal_error", 500, "The service failed.";
    /// The service cannot answer now; nothing was changed, unless it stopped before the call was over.
    Unavailable = "unavailable", 503, "The service is not available.";
}

impl ProblemCode {
    /// The word that RFC 6749 §5.2 has for it, if it has one.
    pub const fn oauth_error(self) -> Option<&'static str> {
        Some(match self {
            Self::UriTooLong
            | Self::MalformedRequest
            | Self::MissingParameter
            | Self::RepeatedParameter
            | Self::InvalidParameter
            | Self::PrefetchRefused
            | Self::UnsupportedMediaType
            | Self::ContentTooLarge => "invalid_request",
            Self::InvalidClient | Self::InvalidSecret => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_word_on_the_wire() {
        for &code in ProblemCode::ALL {
            assert_eq!(ProblemCode::parse(code.as_str()), Some(code));
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
            assert!((400..600).contains(&code.status()));
        }
        assert_eq!(ProblemCode::parse("Not_Found"), None);
    }
}

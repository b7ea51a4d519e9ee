//! What came back from the service, or did not.

use crate::refusal::{Refusal, unknown_integration};
use axum::http::HeaderMap;
use hyper::body::Bytes;
use pos_connect_foundation::client::{Answer, retry_after};
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{PickupOwner, Problem, ProblemCode};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A whole answer. No `Debug`: its body may hold tokens.
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its whole body.
    pub body: Bytes,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
        }
    }
}

impl Reply {
    /// An answer without headers.
    pub fn new(status: u16, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: body.into(),
        }
    }

    /// The body, if it is one JSON object. `Map` comes first: it refuses an array, and takes a repeated member.
    pub fn body<T: DeserializeOwned>(&self) -> Option<T> {
        let members: Map<String, Value> = serde_json::from_slice(&self.body).ok()?;
        T::deserialize(members).ok()
    }

    /// The body of a 2xx; a refusal for everything else.
    pub fn success<T: DeserializeOwned>(&self, about_integration: bool) -> Result<T, Refusal> {
        match self.status {
            200..=299 => self.body().ok_or_else(|| {
                Refusal::from(RelayProblemCode::UpstreamUnexpected).because("no JSON object")
            }),
            _ => Err(refused(self, about_integration)),
        }
    }

    /// The service's word for what is wrong, if it belongs to this status.
    pub fn code(&self) -> Option<ProblemCode> {
        let word = self.problem().code.value()?;
        ProblemCode::parse(&word).filter(|code| code.status() == self.status)
    }

    /// Whether a refusal is the service's: each body of its has `success`, or a word of its own or of RFC 6749. Any
    /// other is from somebody on the way, a proxy or a firewall.
    pub fn is_the_services(&self) -> bool {
        let problem = self.problem();
        let words = [problem.code.value(), problem.error.value()];
        let is_known = |word: &String| ProblemCode::parse(word).is_some();
        problem.success.value().is_some() || words.iter().flatten().any(is_known)
    }

    /// The body as an error answer; without any member if it is no JSON object.
    pub fn problem(&self) -> Problem {
        self.body().unwrap_or_default()
    }

    /// Whose pick-up took the token set, if the service says so.
    pub fn pickup(&self) -> Option<PickupOwner> {
        self.problem().pickup.value()
    }

    /// `Retry-After` in seconds, within an hour.
    pub fn retry_after(&self) -> Option<u64> {
        let wait = retry_after(&self.headers)?;
        Some(wait.as_secs().clamp(1, 3600))
    }
}

/// What a till is told of the service's refusal. What only the operator can mend is not blamed on the till.
pub fn refused(reply: &Reply, about_integration: bool) -> Refusal {
    let code = reply.code();
    let refusal: Refusal = match (reply.status, code) {
        (400 | 401 | 403, None) if !reply.is_the_services() => return blocked(reply),
        (403, None | Some(ProblemCode::InvalidIntegration)) if about_integration => {
            return unknown_integration();
        }
        (
            409,
            Some(
                code @ (ProblemCode::IntegrationPending
                | ProblemCode::IntegrationCancelled
                | ProblemCode::IntegrationExpired
                | ProblemCode::IntegrationFinished),
            ),
        ) => return code.into(),
        (429, _) => {
            return Refusal::from(ProblemCode::SlowDown).after(reply.retry_after().unwrap_or(5));
        }
        (400 | 401 | 403, _) => RelayProblemCode::UpstreamRefused.into(),
        (408 | 500..=599, _) => {
            let refusal = Refusal::from(RelayProblemCode::UpstreamUnavailable);
            refusal.after(reply.retry_after().unwrap_or(1))
        }
        _ => RelayProblemCode::UpstreamUnexpected.into(),
    };
    let word = code.map_or("without a code", ProblemCode::as_str);
    refusal.because(format!("the service answered {} {word}", reply.status))
}

/// What a till is told of a refusal that is not the service's.
pub fn blocked(reply: &Reply) -> Refusal {
    Refusal::from(RelayProblemCode::UpstreamBlocked).because(format!(
        "{} without a word of the service's: a proxy or a firewall refused the call",
        reply.status
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pos_connect_foundation::refusal::Reason;
    use pos_connect_protocol::TokenResponse;

    fn read(body: &str) -> Option<TokenResponse> {
        Reply::new(200, body.as_bytes().to_vec()).body()
    }

    #[test]
    fn only_a_whole_object_is_a_body() {
        for other in ["", "[]", "[true]", "null", r#"{"a":1"#, r#"{"a":1}{}"#] {
            assert!(read(other).is_none(), "{other}");
        }
        assert!(read("{}").is_some());
    }

    #[test]
    fn a_repeated_member_costs_nothing_and_the_last_one_counts() {
        let body = r#"{"ereceipt":true,"accessToken":"a","accessToken":"b","ereceipt":false}"#;
        let body = read(body).unwrap();
        assert_eq!(body.access_token.value().as_deref(), Some("b"));
        assert_eq!(body.ereceipt.value(), Some(false));
    }

    /// What a till hears, word for word. A new word of the service's needs a decision here, and perhaps in `refused`.
    fn word_of(code: ProblemCode) -> &'static str {
        use ProblemCode as P;
        match code {
            // The till's own affair.
            P::InvalidIntegration => "invalid_integration",
            P::IntegrationPending => "integration_pending",
            P::IntegrationCancelled => "integration_cancelled",
            P::IntegrationExpired => "integration_expired",
            P::IntegrationFinished => "integration_finished",
            P::SlowDown | P::StorageQuota => "slow_down",
            // What only the operator can mend: credentials, or what the relay itself has sent.
            P::MalformedRequest
            | P::MissingParameter
            | P::RepeatedParameter
            | P::InvalidParameter
            | P::UnsupportedGrantType
            | P::PrefetchRefused
            | P::InvalidClient
            | P::InvalidSecret
            | P::MissingToken
            | P::InvalidToken
            | P::OriginNotAllowed
            | P::InvalidIdempotencyKey
            | P::EreceiptNotEnabled
            | P::ReissueOtherPickup
            | P::InvalidGrant => "upstream_refused",
            // Not an answer to these calls.
            P::NotFound
            | P::MethodNotAllowed
            | P::UriTooLong
            | P::UnsupportedMediaType
            | P::ContentTooLarge
            | P::TooManyItems
            | P::MissingMember
            | P::InvalidMember
            | P::UnknownMember
            | P::RepeatedMember
            | P::UnknownSealingKey
            | P::TooManyMessages
            | P::IdempotencyKeyReused
            | P::OrderExists
            | P::OrderNotFound
            | P::TokensAlreadyRetrieved
            | P::TokensNotRetrieved
            | P::ReissueUsed
            | P::ReissueExpired
            | P::ReissueExhausted => "upstream_unexpected",
            P::InternalError | P::Unavailable => "upstream_unavailable",
        }
    }

    #[test]
    fn every_word_of_the_services_has_one_for_the_till() {
        for &code in ProblemCode::ALL {
            let body = format!(r#"{{"code":"{}"}}"#, code.as_str());
            let refusal = refused(&Reply::new(code.status(), body), true);
            assert_eq!(refusal.code.as_str(), word_of(code), "{}", code.as_str());
        }
    }

    #[test]
    fn what_somebody_on_the_way_refuses_is_not_blamed_on_the_credentials() {
        for status in [400, 401, 403] {
            for (body, expected) in [
                ("", "upstream_blocked"),
                ("<h1>Forbidden</h1>", "upstream_blocked"),
                (r#"{"message":"Forbidden"}"#, "upstream_blocked"),
                (r#"{"code":"waf-17","error":"denied"}"#, "upstream_blocked"),
                (r#"{"success":false}"#, "upstream_refused"),
                (r#"{"error":"invalid_client"}"#, "upstream_refused"),
            ] {
                let refusal = refused(&Reply::new(status, body), false);
                assert_eq!(refusal.code.as_str(), expected, "{status} {body}");
            }
        }
        let about = |body| refused(&Reply::new(403, body), true).code.as_str();
        assert_eq!(about(r#"{"success":false}"#), "invalid_integration");
        assert_eq!(about("<h1>Forbidden</h1>"), "upstream_blocked");
    }

    #[test]
    fn a_code_counts_only_with_its_own_status() {
        let reply = |status| Reply::new(status, r#"{"code":"slow_down","pickup":"yours"}"#);
        assert_eq!(reply(429).code(), Some(ProblemCode::SlowDown));
        assert_eq!(reply(400).code(), None);
        assert_eq!(reply(400).pickup(), Some(PickupOwner::Yours));
        assert_eq!(Reply::new(429, "slow_down").code(), None);
        assert_eq!(Reply::new(429, r#"["slow_down"]"#).code(), None);
    }
}

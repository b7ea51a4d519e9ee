//! The pick-up's rules: what each answer of the service means for a token set that is given out once. Pure decisions.

use crate::refusal::{Code, Refusal};
use crate::store::TokenSetInfo;
use crate::tokens::{self, Pair};
use crate::upstream::{Ask, CallError, Reply, blocked, refused};
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{PickupOwner, ProblemCode};
use std::time::Duration;

/// What to do next.
pub enum Verdict {
    /// Here it is: keep it before anybody hears of it.
    Keep(Pair, TokenSetInfo),
    /// It is not known what the call did: ask the same again, with the same `pickup_id`.
    /// The service may say when.
    Again(Refusal, Option<Duration>),
    /// Ask this instead, at once.
    Instead(Ask),
    /// The token set went elsewhere, for good.
    Lost(&'static str),
    /// There is nothing to pick up (yet), for a reason that till and merchant can do something about.
    Refused(Refusal),
    /// The service does not let us ask; the operator has to look.
    Broken(Refusal),
}

/// Decides about an answer. `reissues`: whether the service said that it cures a lost answer.
///
/// Such a service gives a code with each refusal. One without a code comes from somebody on the way, a proxy or a
/// firewall, and decides nothing. A service that knows only the specification may answer a bare 410, and a 403 with
/// nothing but `success`.
pub fn judge(ask: Ask, reissues: bool, answer: Result<Reply, CallError>) -> Verdict {
    let reply = match answer {
        Err(error) => return Verdict::Again(error.into(), None),
        Ok(reply) => reply,
    };
    match (reply.status, ask) {
        (200..=299, _) => token_set(&reply),
        (408 | 429 | 500..=599, _) => {
            let when = reply.retry_after().map(Duration::from_secs);
            Verdict::Again(refused(&reply, true), when)
        }
        (400 | 401 | 403, _) if !reply.is_the_services() => Verdict::Again(blocked(&reply), None),
        (404 | 405 | 409 | 410, _) if reissues && reply.code().is_none() => {
            let cause = format!(
                "{} without a code: not the service's own answer",
                reply.status
            );
            let refusal = Refusal::from(RelayProblemCode::UpstreamUnexpected);
            Verdict::Again(refusal.because(cause), None)
        }
        (410, Ask::Tokens) if reissues && reply.pickup() == Some(PickupOwner::Yours) => {
            Verdict::Instead(Ask::Reissue)
        }
        (410, Ask::Tokens) => Verdict::Lost("the service gave the token set to another pick-up"),
        (409, Ask::Reissue) if reply.code() == Some(ProblemCode::TokensNotRetrieved) => {
            Verdict::Instead(Ask::Tokens)
        }
        (_, Ask::Reissue) if is_final(&reply) => Verdict::Lost("the service reissues it no more"),
        _ => {
            let refusal = refused(&reply, true);
            match refusal.code {
                Code::Own(_) => Verdict::Broken(refusal),
                Code::Shared(_) => Verdict::Refused(refusal),
            }
        }
    }
}

/// A 2xx that holds no token set may be a cut one, and is asked for again.
fn token_set(reply: &Reply) -> Verdict {
    match reply.body().and_then(tokens::picked_up) {
        Some((pair, info)) => Verdict::Keep(pair, info),
        None => {
            let refusal = Refusal::from(RelayProblemCode::UpstreamUnexpected);
            let cause = format!("a token answer of {} without tokens", reply.status);
            Verdict::Again(refusal.because(cause), None)
        }
    }
}

fn is_final(reply: &Reply) -> bool {
    matches!(reply.status, 404 | 405 | 410)
        || matches!(
            reply.code(),
            Some(
                ProblemCode::ReissueOtherPickup
                    | ProblemCode::ReissueUsed
                    | ProblemCode::ReissueExpired
                    | ProblemCode::ReissueExhausted
            )
        )
}

/// How long to wait before the `attempt`th repeat: 0.25 s, doubling, up to 8 s.
pub fn pause(attempt: u32) -> Duration {
    Duration::from_millis(250) * 2_u32.saturating_pow(attempt.min(5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pos_connect_foundation::refusal::Reason;

    fn verdict(ask: Ask, reissues: bool, status: u16, body: &str) -> String {
        let reply = Reply::new(status, body.as_bytes().to_vec());
        match judge(ask, reissues, Ok(reply)) {
            Verdict::Keep(pair, _) => format!("keep {}", pair.access_token),
            Verdict::Again(refusal, _) => format!("again {}", refusal.code.as_str()),
            Verdict::Instead(ask) => format!("{ask:?}"),
            Verdict::Lost(_) => "lost".into(),
            Verdict::Refused(refusal) => format!("refused {}", refusal.code.as_str()),
            Verdict::Broken(refusal) => format!("broken {}", refusal.code.as_str()),
        }
    }

    fn code(word: &str) -> String {
        format!(r#"{{"code":"{word}"}}"#)
    }

    #[test]
    fn every_answer_to_a_token_call_has_its_meaning() {
        let yours = r#"{"code":"tokens_already_retrieved","pickup":"yours"}"#;
        let other = r#"{"code":"tokens_already_retrieved","pickup":"other"}"#;
        for (reissues, status, body, expected) in [
            (true, 200, r#"{"success":true,"accessToken":"t"}"#, "keep t"),
            (
                true,
                200,
                r#"{"success":true,"accessTok"#,
                "again upstream_unexpected",
            ),
            (true, 200, "{}", "again upstream_unexpected"),
            (true, 500, "", "again upstream_unavailable"),
            (true, 503, "", "again upstream_unavailable"),
            (true, 429, "", "again slow_down"),
            (true, 410, yours, "Reissue"),
            (true, 410, other, "lost"),
            (true, 410, "", "again upstream_unexpected"),
            (true, 410, "<html>", "again upstream_unexpected"),
            (
                true,
                410,
                r#"{"code":"slow_down"}"#,
                "again upstream_unexpected",
            ),
            (false, 410, "", "lost"),
            (false, 410, yours, "lost"),
        ] {
            assert_eq!(
                verdict(Ask::Tokens, reissues, status, body),
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn every_refusal_of_a_token_call_has_its_meaning() {
        for (status, body, expected) in [
            (
                409,
                code("integration_pending"),
                "refused integration_pending",
            ),
            (
                409,
                code("integration_cancelled"),
                "refused integration_cancelled",
            ),
            (
                409,
                code("integration_expired"),
                "refused integration_expired",
            ),
            (
                403,
                code("invalid_integration"),
                "refused invalid_integration",
            ),
            (403, String::new(), "again upstream_blocked"),
            (
                403,
                "{\"success\":false}".into(),
                "refused invalid_integration",
            ),
            (404, String::new(), "again upstream_unexpected"),
            (405, String::new(), "again upstream_unexpected"),
            (403, code("invalid_secret"), "broken upstream_refused"),
            (400, code("invalid_client"), "broken upstream_refused"),
            (302, String::new(), "broken upstream_unexpected"),
            (409, String::new(), "again upstream_unexpected"),
            (401, String::new(), "again upstream_blocked"),
            (401, "{\"success\":false}".into(), "broken upstream_refused"),
        ] {
            assert_eq!(
                verdict(Ask::Tokens, true, status, &body),
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn every_answer_to_a_reissue_has_its_meaning() {
        for (status, body, expected) in [
            (
                200,
                r#"{"success":true,"accessToken":"t"}"#.into(),
                "keep t",
            ),
            (502, String::new(), "again upstream_unavailable"),
            (409, code("tokens_not_retrieved"), "Tokens"),
            (403, code("reissue_other_pickup"), "lost"),
            (409, code("reissue_used"), "lost"),
            (410, code("reissue_expired"), "lost"),
            (409, code("reissue_exhausted"), "lost"),
            (404, code("not_found"), "lost"),
            (404, String::new(), "again upstream_unexpected"),
            (405, String::new(), "again upstream_unexpected"),
            (410, String::new(), "again upstream_unexpected"),
            (403, code("invalid_secret"), "broken upstream_refused"),
        ] {
            assert_eq!(
                verdict(Ask::Reissue, true, status, &body),
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn trouble_is_asked_about_again_and_pauses_grow_to_a_limit() {
        for error in [
            CallError::Unreached("x".into()),
            CallError::Untrusted("x".into()),
            CallError::TimedOut,
            CallError::Cut("x".into()),
        ] {
            assert!(matches!(
                judge(Ask::Tokens, true, Err(error)),
                Verdict::Again(..)
            ));
        }
        assert_eq!(pause(0), Duration::from_millis(250));
        assert_eq!(pause(99), Duration::from_secs(8));
    }
}

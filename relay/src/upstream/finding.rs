//! What a look at the service shows.

use super::{CallError, Reply};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::header::TEST_MODE;

/// Whether the service is there, and lets this relay in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Finding {
    /// It takes our credentials.
    Ready,
    /// It takes them, for its test mode.
    TestMode,
    /// It refuses without a word. The specification has one status for a wrong secret and an unknown integration.
    Unsaid,
    /// It does not know the vendor, or has disabled it.
    UnknownClient,
    /// It does not take the secret.
    WrongSecret,
    /// Its certificate is not trusted: nothing was sent.
    Untrusted(String),
    /// Somebody between us and it refuses the call: a proxy or a firewall.
    Blocked(u16),
    /// There was no whole answer.
    Unreached(String),
    /// It cannot answer now.
    Failing(u16),
    /// Something that the service's API never answers.
    Other(u16),
}

impl Finding {
    /// What follows from the answer to a status call for an integration that there is not.
    pub(super) fn of(answer: Result<Reply, CallError>) -> Self {
        let reply = match answer {
            Ok(reply) => reply,
            Err(CallError::Untrusted(cause)) => return Self::Untrusted(cause),
            Err(CallError::Unreached(cause) | CallError::Cut(cause)) => {
                return Self::Unreached(cause);
            }
            Err(CallError::TimedOut) => return Self::Unreached("no answer in time".into()),
        };
        match (reply.status, reply.code()) {
            (_, Some(ProblemCode::InvalidIntegration)) => {
                match reply.headers.contains_key(TEST_MODE) {
                    true => Self::TestMode,
                    false => Self::Ready,
                }
            }
            (_, Some(ProblemCode::InvalidClient)) => Self::UnknownClient,
            (_, Some(ProblemCode::InvalidSecret)) => Self::WrongSecret,
            (403, None) if reply.is_the_services() => Self::Unsaid,
            (status @ (401 | 403 | 407), None) => Self::Blocked(status),
            (status @ (408 | 429 | 500..=599), _) => Self::Failing(status),
            (status, _) => Self::Other(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_has_its_meaning() {
        let of = |status, body: &'static str| Finding::of(Ok(Reply::new(status, body)));
        for (status, body, expected) in [
            (403, r#"{"code":"invalid_integration"}"#, Finding::Ready),
            (403, r#"{"code":"invalid_secret"}"#, Finding::WrongSecret),
            (400, r#"{"code":"invalid_client"}"#, Finding::UnknownClient),
            (403, r#"{"success":false}"#, Finding::Unsaid),
            (403, "<h1>403 Forbidden</h1>", Finding::Blocked(403)),
            (401, "", Finding::Blocked(401)),
            (400, "<h1>400 Bad Request</h1>", Finding::Other(400)),
            (
                200,
                r#"{"code":"invalid_integration"}"#,
                Finding::Other(200),
            ),
            (301, "", Finding::Other(301)),
            (404, r#"{"code":"not_found"}"#, Finding::Other(404)),
            (429, "", Finding::Failing(429)),
            (502, "", Finding::Failing(502)),
        ] {
            assert_eq!(of(status, body), expected, "{status} {body}");
        }
        for error in [CallError::Unreached("x".into()), CallError::Cut("x".into())] {
            assert_eq!(Finding::of(Err(error)), Finding::Unreached("x".into()));
        }
    }
}

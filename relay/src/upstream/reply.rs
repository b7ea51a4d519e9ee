//! What came back from the service, or did not.

use crate::json::Object;
use crate::refusal::Refusal;
use axum::http::HeaderMap;
use axum::http::header;
use hyper::body::Bytes;
use pos_connect::decode;
use pos_connect::loose::{Loose, Members};
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{Pickup, ProblemCode};

/// A whole answer. No `Debug`: its body may hold tokens.
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its whole body.
    pub body: Bytes,
}

/// Why there is no whole answer. Its text names no URL and no value.
#[derive(Debug)]
pub enum Trouble {
    /// There was no connection, so the service never saw the call.
    Unreached(String),
    /// Not in time; the service may have done what was asked.
    TimedOut,
    /// The connection broke; the service may have done what was asked.
    Cut(String),
}

impl From<hyper_util::client::legacy::Error> for Trouble {
    fn from(error: hyper_util::client::legacy::Error) -> Self {
        // The client's own text names no URL; below it are the system's and the TLS library's.
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(deeper) = source {
            text = format!("{text}: {deeper}");
            source = deeper.source();
        }
        match error.is_connect() {
            true => Self::Unreached(text),
            false => Self::Cut(text),
        }
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        let (code, cause) = match trouble {
            Trouble::TimedOut => (
                RelayProblemCode::UpstreamTimeout,
                "the service did not answer in time".to_owned(),
            ),
            Trouble::Unreached(cause) | Trouble::Cut(cause) => {
                (RelayProblemCode::UpstreamUnavailable, cause)
            }
        };
        Self::from(code).after(1).because(cause)
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

    /// The body, if it is a JSON object.
    pub fn members(&self) -> Option<Object> {
        Object::parse(&self.body)
    }

    /// The body of a 2xx; a refusal for everything else.
    pub fn success(&self, about_integration: bool) -> Result<Object, Refusal> {
        match self.status {
            200..=299 => self.members().ok_or_else(|| {
                Refusal::from(RelayProblemCode::UpstreamUnexpected).because("no JSON object")
            }),
            _ => Err(refused(self, about_integration)),
        }
    }

    /// The service's word for what is wrong, if it belongs to this status.
    pub fn code(&self) -> Option<ProblemCode> {
        let word = decode::refusal(&self.members()?).code?;
        ProblemCode::parse(&word).filter(|code| code.status() == self.status)
    }

    /// Whose pick-up took the token set, if the service says so.
    pub fn pickup(&self) -> Option<Pickup> {
        Pickup::parse(&text(self.members()?.get("pickup"))?)
    }

    /// `Retry-After` in seconds, within an hour.
    pub fn retry_after(&self) -> Option<u64> {
        let value = self.headers.get(header::RETRY_AFTER)?;
        let seconds: u64 = value.to_str().ok()?.parse().ok()?;
        Some(seconds.clamp(1, 3600))
    }
}

/// The text that a member holds, if it holds one.
pub(super) fn text(member: Loose) -> Option<String> {
    match member {
        Loose::Text(text) => Some(text),
        _ => None,
    }
}

/// What a till is told of the service's refusal. What only the operator can mend is not blamed on the till.
pub fn refused(reply: &Reply, about_integration: bool) -> Refusal {
    let code = reply.code();
    let refusal: Refusal = match (reply.status, code) {
        (403, None | Some(ProblemCode::InvalidIntegration)) if about_integration => {
            return Refusal::unknown_integration();
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

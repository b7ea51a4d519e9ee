//! Why a call is refused, and the answer that says so.

use crate::client::CallError;
use crate::query::QueryFault;
use crate::seal::Unreadable;
use crate::sqlite::StoreError;
use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use pos_connect_protocol::admin::AdminProblemCode;
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{PickupOwner, Problem, ProblemCode};

/// A program's reasons: those of the protocol, and perhaps some of its own.
pub trait Reason: Copy + From<ProblemCode> {
    /// The word on the wire.
    fn as_str(self) -> &'static str;
    /// The HTTP status it goes with.
    fn status(self) -> u16;
    /// One sentence for people.
    fn title(self) -> &'static str;
    /// How to prove who calls, for one who did not (RFC 6750 §3).
    fn challenge(self) -> Option<&'static str>;
}

impl Reason for ProblemCode {
    fn as_str(self) -> &'static str {
        Self::as_str(self)
    }

    fn status(self) -> u16 {
        Self::status(self)
    }

    fn title(self) -> &'static str {
        Self::title(self)
    }

    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::MissingToken => Some("Bearer"),
            Self::InvalidToken => Some("Bearer error=\"invalid_token\""),
            _ => None,
        }
    }
}

/// Reasons that one program alone has.
pub trait OwnReason: Copy {
    /// The word, the status and the sentence of a [`Reason`].
    fn parts(self) -> (&'static str, u16, &'static str);
}

impl OwnReason for RelayProblemCode {
    fn parts(self) -> (&'static str, u16, &'static str) {
        (self.as_str(), self.status(), self.title())
    }
}

impl OwnReason for AdminProblemCode {
    fn parts(self) -> (&'static str, u16, &'static str) {
        (self.as_str(), self.status(), self.title())
    }
}

/// A reason that all programs have, or one of a program's own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Code<O> {
    /// As the service would say it.
    Shared(ProblemCode),
    /// The program's own.
    Own(O),
}

impl<O: OwnReason> Reason for Code<O> {
    fn as_str(self) -> &'static str {
        match self {
            Self::Shared(code) => code.as_str(),
            Self::Own(code) => code.parts().0,
        }
    }

    fn status(self) -> u16 {
        match self {
            Self::Shared(code) => code.status(),
            Self::Own(code) => code.parts().1,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Shared(code) => code.title(),
            Self::Own(code) => code.parts().2,
        }
    }

    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::Shared(code) => code.challenge(),
            Self::Own(_) => (self.status() == 401).then_some("Bearer"),
        }
    }
}

impl<O> From<ProblemCode> for Code<O> {
    fn from(code: ProblemCode) -> Self {
        Self::Shared(code)
    }
}

impl<O: OwnReason> From<O> for Code<O> {
    fn from(code: O) -> Self {
        Self::Own(code)
    }
}

/// A refusal on its way out.
#[derive(Clone, Debug)]
pub struct Refusal<C> {
    /// Why.
    pub code: C,
    /// Name of the offending parameter.
    pub parameter: Option<&'static str>,
    /// The offending member of the body, as a JSON pointer.
    pub pointer: Option<String>,
    /// What that member must be.
    pub rule: Option<Box<str>>,
    /// Whose pick-up took the token set, for a call that can be told.
    pub pickup: Option<PickupOwner>,
    /// Seconds for `Retry-After`.
    pub retry_after: Option<u64>,
    /// Methods for `Allow`.
    pub allow: Option<&'static str>,
    /// Whether the body's coding is why, for `Accept-Encoding`.
    pub is_encoded: bool,
    /// For the log only; holds no secret, no token and no URL.
    pub cause: Option<String>,
}

impl<C: Reason> Refusal<C> {
    /// Refuses without more.
    pub fn new(code: impl Into<C>) -> Self {
        Self {
            code: code.into(),
            parameter: None,
            pointer: None,
            rule: None,
            pickup: None,
            retry_after: None,
            allow: None,
            is_encoded: false,
            cause: None,
        }
    }

    /// Refuses because of one parameter.
    pub fn parameter(code: impl Into<C>, name: &'static str) -> Self {
        Self {
            parameter: Some(name),
            ..Self::new(code)
        }
    }

    /// Refuses a method that the path does not know.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        Self {
            allow: Some(allow),
            ..ProblemCode::MethodNotAllowed.into()
        }
    }

    /// Refuses a body in a coding, as `gzip`. Only where that is the reason does the answer name codings (RFC 9110
    /// §12.5.3).
    pub fn encoded_body() -> Self {
        Self {
            is_encoded: true,
            ..ProblemCode::UnsupportedMediaType.into()
        }
    }

    /// Refuses a call that came too soon.
    pub fn slow_down(seconds: u64) -> Self {
        Self::new(ProblemCode::SlowDown).after(seconds.max(1))
    }

    /// Refuses a call because there is no room for it now; nothing was changed.
    pub fn busy(cause: impl ToString) -> Self {
        let busy = Self::new(ProblemCode::Unavailable).after(1);
        busy.because(cause)
    }

    /// A fault of this program.
    pub fn fault(cause: impl ToString) -> Self {
        Self::new(ProblemCode::InternalError).because(cause)
    }

    /// Says what the operator finds in the log.
    #[must_use]
    pub fn because(self, cause: impl ToString) -> Self {
        Self {
            cause: Some(cause.to_string()),
            ..self
        }
    }

    /// Says when to ask again.
    #[must_use]
    pub fn after(self, seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// This refusal among the reasons of a program that has more of them.
    pub fn among<D: From<C>>(self) -> Refusal<D> {
        Refusal {
            code: self.code.into(),
            parameter: self.parameter,
            pointer: self.pointer,
            rule: self.rule,
            pickup: self.pickup,
            retry_after: self.retry_after,
            allow: self.allow,
            is_encoded: self.is_encoded,
            cause: self.cause,
        }
    }

    /// The body. `id` is the request's.
    pub fn problem(&self, id: &str) -> Problem {
        Problem {
            success: false.into(),
            code: self.code.as_str().into(),
            title: self.code.title().into(),
            status: self.code.status().into(),
            parameter: self.parameter.into(),
            pointer: self.pointer.as_deref().into(),
            rule: self.rule.as_deref().into(),
            pickup: self.pickup.into(),
            request_id: id.into(),
            ..Problem::default()
        }
    }

    /// The answer with this body.
    pub fn answer(&self, problem: &Problem) -> Response {
        let mut response =
            Response::new(Body::from(serde_json::to_vec(problem).unwrap_or_default()));
        let status = StatusCode::from_u16(self.code.status());
        *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        let value = HeaderValue::from_static;
        headers.insert(header::CONTENT_TYPE, value("application/problem+json"));
        // Without this a page sees a bare TypeError instead of the reason.
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, value("*"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(methods) = self.allow {
            headers.insert(header::ALLOW, value(methods));
        }
        if self.is_encoded {
            headers.insert(header::ACCEPT_ENCODING, value("identity"));
        }
        if let Some(challenge) = self.code.challenge() {
            headers.insert(header::WWW_AUTHENTICATE, value(challenge));
        }
        response
    }
}

/// Refuses a request to a page that is only there to be read.
pub fn only_get<C: Reason>(method: &Method) -> Result<(), Refusal<C>> {
    match *method {
        Method::GET | Method::HEAD => Ok(()),
        _ => Err(Refusal::method_not_allowed("GET, HEAD")),
    }
}

impl<C: Reason> From<ProblemCode> for Refusal<C> {
    fn from(code: ProblemCode) -> Self {
        Self::new(code)
    }
}

impl<O: OwnReason> From<O> for Refusal<Code<O>> {
    fn from(code: O) -> Self {
        Self::new(code)
    }
}

impl<C: Reason> From<QueryFault> for Refusal<C> {
    fn from(fault: QueryFault) -> Self {
        Self {
            parameter: fault.parameter,
            ..fault.code.into()
        }
    }
}

impl<C: Reason> From<BodyFault> for Refusal<C> {
    fn from(fault: BodyFault) -> Self {
        Self {
            pointer: Some(fault.pointer),
            rule: (!fault.rule.is_empty()).then(|| fault.rule.into()),
            ..fault.code.into()
        }
    }
}

impl<C: Reason> From<StoreError> for Refusal<C> {
    fn from(error: StoreError) -> Self {
        match error {
            // A service of another release may do it.
            StoreError::Unavailable(_) | StoreError::Unsupported(_) => Self::busy(error),
            StoreError::Revoked => ProblemCode::InvalidToken.into(),
            _ => Self::fault(error),
        }
    }
}

impl<C: Reason> From<Unreadable> for Refusal<C> {
    fn from(error: Unreadable) -> Self {
        Self::fault(error)
    }
}

impl<C: Reason + From<RelayProblemCode>> From<CallError> for Refusal<C> {
    fn from(trouble: CallError) -> Self {
        let (code, cause) = match trouble {
            CallError::TimedOut => (
                RelayProblemCode::UpstreamTimeout,
                "the service did not answer in time".to_owned(),
            ),
            CallError::Unreached(cause) | CallError::Untrusted(cause) | CallError::Cut(cause) => {
                (RelayProblemCode::UpstreamUnavailable, cause)
            }
        };
        Self::new(code).after(1).because(cause)
    }
}

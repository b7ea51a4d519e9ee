//! Why a call is refused. The body is written in one place, where the request's id is known.

use crate::store::StoreError;
use pos_connect_foundation::query::QueryFault;
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{ProblemCode, parameter};

/// The reason: one that the service has too, or one of the relay's own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Code {
    /// As the service would say it.
    Shared(ProblemCode),
    /// The relay's own.
    Own(RelayProblemCode),
}

impl Code {
    /// The word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shared(code) => code.as_str(),
            Self::Own(code) => code.as_str(),
        }
    }

    /// The HTTP status it goes with.
    pub const fn status(self) -> u16 {
        match self {
            Self::Shared(code) => code.status(),
            Self::Own(code) => code.status(),
        }
    }

    /// One sentence for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Shared(code) => code.title(),
            Self::Own(code) => code.title(),
        }
    }
}

impl From<ProblemCode> for Code {
    fn from(code: ProblemCode) -> Self {
        Self::Shared(code)
    }
}

impl From<RelayProblemCode> for Code {
    fn from(code: RelayProblemCode) -> Self {
        Self::Own(code)
    }
}

/// A refusal on its way out.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Why.
    pub code: Code,
    /// Name of the offending parameter.
    pub parameter: Option<&'static str>,
    /// Seconds for `Retry-After`.
    pub retry_after: Option<u64>,
    /// Methods for `Allow`.
    pub allow: Option<&'static str>,
    /// For the log only; holds no secret, no token and no URL.
    pub cause: Option<String>,
}

impl Refusal {
    /// Refuses because of one parameter.
    pub fn parameter(code: impl Into<Code>, name: &'static str) -> Self {
        Self {
            parameter: Some(name),
            ..Self::from(code.into())
        }
    }

    /// What an unknown integration token and another till's are both told.
    pub fn unknown_integration() -> Self {
        Self::parameter(
            ProblemCode::InvalidIntegration,
            parameter::INTEGRATION_TOKEN,
        )
    }

    /// Refuses a method that the path does not know.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        Self {
            allow: Some(allow),
            ..ProblemCode::MethodNotAllowed.into()
        }
    }

    /// Says what the operator finds in the log.
    #[must_use]
    pub fn because(self, cause: impl Into<String>) -> Self {
        Self {
            cause: Some(cause.into()),
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

    /// The till's call came too soon.
    pub fn slow_down(seconds: u64) -> Self {
        Self::from(ProblemCode::SlowDown).after(seconds.max(1))
    }

    /// The relay is at its limit; nothing was changed.
    pub fn busy(what: impl Into<String>) -> Self {
        Self::from(ProblemCode::Unavailable).after(1).because(what)
    }

    /// A fault of this program.
    pub fn fault(cause: impl ToString) -> Self {
        Self::from(ProblemCode::InternalError).because(cause.to_string())
    }
}

impl From<Code> for Refusal {
    fn from(code: Code) -> Self {
        Self {
            code,
            parameter: None,
            retry_after: None,
            allow: None,
            cause: None,
        }
    }
}

impl From<ProblemCode> for Refusal {
    fn from(code: ProblemCode) -> Self {
        Code::from(code).into()
    }
}

impl From<RelayProblemCode> for Refusal {
    fn from(code: RelayProblemCode) -> Self {
        Code::from(code).into()
    }
}

impl From<QueryFault> for Refusal {
    fn from(fault: QueryFault) -> Self {
        Self {
            parameter: fault.parameter,
            ..fault.code.into()
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::busy(error.to_string()),
            _ => Self::fault(error),
        }
    }
}

impl From<crate::seal::Unreadable> for Refusal {
    fn from(error: crate::seal::Unreadable) -> Self {
        Self::fault(error)
    }
}

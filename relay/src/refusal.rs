//! Why the relay refuses a call.

use pos_connect_foundation::refusal::{self, Reason};
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{ProblemCode, parameter};

/// A refusal on its way out.
pub type Refusal = refusal::Refusal<Code>;

/// The reason: one that the service has too, or one of the relay's own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Code {
    /// As the service would say it.
    Shared(ProblemCode),
    /// The relay's own.
    Own(RelayProblemCode),
}

impl Reason for Code {
    fn as_str(self) -> &'static str {
        match self {
            Self::Shared(code) => code.as_str(),
            Self::Own(code) => code.as_str(),
        }
    }

    fn status(self) -> u16 {
        match self {
            Self::Shared(code) => code.status(),
            Self::Own(code) => code.status(),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Shared(code) => code.title(),
            Self::Own(code) => code.title(),
        }
    }

    fn challenge(self) -> Option<&'static str> {
        (self.status() == 401).then_some("Bearer")
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

/// What an unknown integration token and another till's are both told.
pub fn unknown_integration() -> Refusal {
    Refusal::parameter(
        ProblemCode::InvalidIntegration,
        parameter::INTEGRATION_TOKEN,
    )
}

//! Why the relay refuses a call.

use pos_connect_foundation::refusal;
use pos_connect_protocol::relay::RelayProblemCode;
use pos_connect_protocol::{ProblemCode, parameter};

/// A refusal on its way out.
pub type Refusal = refusal::Refusal<Code>;

/// The reason: one that the service has too, or one of the relay's own.
pub type Code = refusal::Code<RelayProblemCode>;

/// What an unknown integration token and another till's are both told.
pub fn unknown_integration() -> Refusal {
    Refusal::parameter(
        ProblemCode::InvalidIntegration,
        parameter::INTEGRATION_TOKEN,
    )
}

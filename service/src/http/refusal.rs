//! Why the service refuses a call.

use pos_connect_foundation::refusal;
use pos_connect_protocol::ProblemCode;

/// A refusal on its way out.
pub(crate) type Refusal = refusal::Refusal<ProblemCode>;

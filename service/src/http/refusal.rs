//! Why a call is refused. The body is written in one place, where the request's id is known.

use crate::store::StoreError;
use pos_connect_foundation::query::QueryFault;
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::{Pickup, ProblemCode};

/// A refusal on its way out.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: ProblemCode,
    /// Name of the offending parameter.
    pub(crate) parameter: Option<&'static str>,
    /// The offending member of the body, as a JSON pointer.
    pub(crate) pointer: Option<String>,
    /// Whose pick-up took the token set, for a call that can be told.
    pub(crate) pickup: Option<Pickup>,
    /// Seconds for `Retry-After`.
    pub(crate) retry_after: Option<u64>,
    /// Methods for `Allow`.
    pub(crate) allow: Option<&'static str>,
    /// For the log only.
    pub(crate) cause: Option<String>,
}

impl Refusal {
    /// Refuses because of one parameter.
    pub(crate) fn parameter(code: ProblemCode, name: &'static str) -> Self {
        Self {
            parameter: Some(name),
            ..code.into()
        }
    }

    /// Refuses a call that came too soon.
    pub(crate) fn slow_down(seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds.max(1)),
            ..ProblemCode::SlowDown.into()
        }
    }

    /// Refuses a call because there is no room for it now.
    pub(crate) fn busy(cause: &str) -> Self {
        Self {
            retry_after: Some(1),
            cause: Some(cause.into()),
            ..ProblemCode::Unavailable.into()
        }
    }

    /// Refuses a method that the path does not know.
    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        Self {
            allow: Some(allow),
            ..ProblemCode::MethodNotAllowed.into()
        }
    }
}

impl From<ProblemCode> for Refusal {
    fn from(code: ProblemCode) -> Self {
        Self {
            code,
            parameter: None,
            pointer: None,
            pickup: None,
            retry_after: None,
            allow: None,
            cause: None,
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let cause = Some(error.to_string());
        match error {
            StoreError::Unavailable(_) => Self {
                retry_after: Some(1),
                cause,
                ..ProblemCode::Unavailable.into()
            },
            _ => Self {
                cause,
                ..ProblemCode::InternalError.into()
            },
        }
    }
}

impl From<BodyFault> for Refusal {
    fn from(fault: BodyFault) -> Self {
        Self {
            pointer: Some(fault.pointer),
            ..fault.code.into()
        }
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

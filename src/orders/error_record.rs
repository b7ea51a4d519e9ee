//! An error as the storage keeps it, and as pages tell each other of it.

use crate::core::error::{Error, ErrorCode};
use crate::vault::storage::record;

record! {
    /// Why an order was not accepted.
    pub struct ErrorRecord {
        /// An [`ErrorCode`], by its word.
        pub code: String,
        /// The HTTP status of the answer.
        pub status: Option<u16>,
        /// The member that the answer named.
        pub pointer: Option<String>,
        /// What the operator finds the call by.
        pub request_id: Option<String>,
        /// What exactly was wrong, for people; see [`Error::detail`].
        pub detail: Option<String>,
        /// The milliseconds that the answer asked to wait.
        pub retry_after_ms: Option<f64>,
    }
}

impl ErrorRecord {
    /// A code alone.
    pub fn of_code(code: String) -> Self {
        Self {
            code,
            ..Self::default()
        }
    }

    /// The error, unless this release does not know its code.
    pub fn error(&self) -> Option<Error> {
        let code = ErrorCode::ALL
            .iter()
            .find(|code| code.as_str() == self.code)?;
        Some(Error {
            status: self.status,
            pointer: self.pointer.clone(),
            request_id: self.request_id.clone(),
            detail: self.detail.clone(),
            retry_after_ms: self.retry_after_ms,
            ..Error::new(*code)
        })
    }
}

impl From<&Error> for ErrorRecord {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code.as_str().into(),
            status: error.status,
            pointer: error.pointer.clone(),
            request_id: error.request_id.clone(),
            detail: error.detail.clone(),
            retry_after_ms: error.retry_after_ms,
        }
    }
}

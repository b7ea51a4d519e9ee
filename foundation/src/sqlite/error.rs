//! What can go wrong with the database.

use crate::seal::Unreadable;
use rusqlite::ErrorCode;
use std::fmt;

/// Why the database did not do what it was asked. Its text never holds a stored or a sent value.
#[derive(Debug)]
pub enum StoreError {
    /// The database URL or schema is not one this program works with.
    Unsupported(String),
    /// Busy, full, read-only or unreachable: nothing was changed, and another try may work.
    Unavailable(String),
    /// There is already a row of that name.
    Exists,
    /// The key of whoever asked was revoked meanwhile: nothing was changed.
    Revoked,
    /// A fault of this program or a damaged file.
    Fault(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(text) | Self::Unavailable(text) | Self::Fault(text) => {
                f.write_str(text)
            }
            Self::Exists => f.write_str("it exists already"),
            Self::Revoked => f.write_str("the key was revoked meanwhile"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<Unreadable> for StoreError {
    fn from(error: Unreadable) -> Self {
        Self::Fault(error.to_string())
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::DiskFull
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::OutOfMemory,
            ) => Self::Unavailable(text),
            _ => Self::Fault(text),
        }
    }
}

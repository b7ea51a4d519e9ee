//! One server for a database: two would deliver messages twice, and refresh one token set against each other.

use super::{StoreError, create_private, sqlite_file, with_suffix};
use std::fs::{File, TryLockError};

/// Held by the program that serves a database, and let go of when it ends, however it ends. Other commands do not need
/// it.
#[must_use = "dropping it lets another program in"]
pub struct Exclusive(#[allow(dead_code)] File);

impl Exclusive {
    /// Takes the lock of `sqlite://FILE`, on `FILE.lock`; fails at once if another program has it.
    pub fn take(url: &str) -> Result<Self, StoreError> {
        let file = sqlite_file(url)?;
        // One lock for a file, whichever link it is reached by.
        let path = with_suffix(&file.canonicalize().unwrap_or(file), ".lock");
        create_private(&path)?;
        let file = File::open(&path);
        let file = file.map_err(|error| {
            StoreError::Unavailable(format!("cannot open {}: {error}", path.display()))
        })?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Unsupported(format!(
                "another program serves {url}: stop it first"
            ))),
            Err(TryLockError::Error(error)) => Err(StoreError::Unavailable(format!(
                "cannot lock {}: {error}",
                path.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_has_one_server_at_a_time() {
        let file = std::env::temp_dir().join(format!("pos-connect-lock-{}", std::process::id()));
        let url = format!("sqlite://{}", file.display());
        let first = Exclusive::take(&url).unwrap();
        let error = Exclusive::take(&url).err().unwrap().to_string();
        assert!(error.contains("another program serves"), "{error}");
        drop(first);
        drop(Exclusive::take(&url).unwrap());
        std::fs::remove_file(file.with_extension("lock")).ok();
    }
}

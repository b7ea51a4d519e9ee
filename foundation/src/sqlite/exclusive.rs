//! One server for a database: two would deliver messages twice, and refresh one token set against each other.

use super::{StoreError, create_private, sqlite_file, with_suffix};
use std::fs::{File, TryLockError};
use std::path::Path;

/// Held by the program that serves a database, and let go of when it ends, however it ends. Other commands do not need
/// it.
#[must_use = "dropping it lets another program in"]
pub struct Exclusive(#[allow(dead_code)] File);

impl Exclusive {
    /// Takes the lock of `sqlite://FILE`, on `FILE.lock`; fails at once if another program has it.
    pub fn take(url: &str) -> Result<Self, StoreError> {
        Self::beside(&sqlite_file(url)?, ".lock", || {
            format!("another program serves {url}: stop it first")
        })
    }

    /// Takes the lock for a copy of a file, on `FILE.backup.lock`, beside whoever serves it.
    pub(crate) fn to_copy(file: &Path) -> Result<Self, StoreError> {
        Self::beside(file, ".backup.lock", || {
            format!("another program copies {} now", file.display())
        })
    }

    fn beside(
        file: &Path,
        suffix: &str,
        is_taken: impl Fn() -> String,
    ) -> Result<Self, StoreError> {
        // One lock for a file, whichever link it is reached by.
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let path = with_suffix(&file, suffix);
        create_private(&path)?;
        let file = File::open(&path);
        let file = file.map_err(|error| {
            StoreError::Unavailable(format!("cannot open {}: {error}", path.display()))
        })?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Unsupported(is_taken())),
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
        let copying = Exclusive::to_copy(&file).unwrap();
        let error = Exclusive::to_copy(&file).err().unwrap().to_string();
        assert!(error.contains("another program copies"), "{error}");
        drop((first, copying));
        drop(Exclusive::take(&url).unwrap());
        for end in ["lock", "backup.lock"] {
            std::fs::remove_file(file.with_extension(end)).ok();
        }
    }
}

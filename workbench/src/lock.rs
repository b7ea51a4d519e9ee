//! One process at a time, across clones.

use crate::{Result, files};
use std::fs::{File, TryLockError};
use std::path::Path;

/// Held until dropped; the system releases it when the process dies, however it dies.
pub struct Lock {
    _file: File,
}

/// Waits for its turn. `path` is the file that stands for the lock; made where it is missing.
pub fn hold(path: &Path) -> Result<Lock> {
    if let Some(folder) = path.parent() {
        files::create_folder(folder)?;
    }
    let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            println!("waiting for another run that holds {}", path.display());
            file.lock()
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Err(TryLockError::Error(error)) => return Err(format!("{}: {error}", path.display())),
    }
    Ok(Lock { _file: file })
}

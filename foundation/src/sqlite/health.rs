//! How a file is: its size, the room beside it, whether it is whole.

use super::{Reserve, StoreError, opened_to_read, sqlite_file, texts, with_suffix};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Bytes of a file, and beside it.
pub struct Sizes {
    /// The database.
    pub file: u64,
    /// Its write-ahead log.
    pub log: u64,
    /// Its [`Reserve`], if there is one.
    pub reserve: Option<u64>,
    /// What is free on its disk for this user.
    pub free: u64,
}

impl Sizes {
    /// The sizes of `sqlite://FILE`.
    pub fn of(url: &str) -> Result<Self, StoreError> {
        let file = sqlite_file(url)?;
        let length = |path: &Path| path.metadata().map(|metadata| metadata.len()).ok();
        let unread = |error: &dyn std::fmt::Display| StoreError::Unavailable(error.to_string());
        let disk = rustix::fs::statvfs(&file).map_err(|error| unread(&error))?;
        Ok(Self {
            file: length(&file).unwrap_or_default(),
            log: length(&with_suffix(&file, "-wal")).unwrap_or_default(),
            reserve: length(Reserve::of(&file).path()),
            free: disk.f_bavail.saturating_mul(disk.f_frsize),
        })
    }
}

/// Looks through a file for damage, for so long at most: what it found, or `None` if it did not come to the end. Beside
/// a program that writes, too.
pub fn quick_check(file: &Path, limit: Duration) -> Result<Option<Vec<String>>, StoreError> {
    let connection = opened_to_read(file)?;
    let handle = connection.get_interrupt_handle();
    let (done, over) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let is_late = over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if is_late {
            handle.interrupt();
        }
        is_late
    });
    let found = texts(&connection, "PRAGMA quick_check", &[]);
    drop(done);
    let is_late = watch.join().unwrap_or_default();
    match found {
        Ok(found) if found == ["ok"] => Ok(Some(Vec::new())),
        Ok(found) => Ok(Some(found)),
        Err(_) if is_late => Ok(None),
        Err(error) => Err(error.into()),
    }
}

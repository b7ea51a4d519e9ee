//! How a file is: its size, the room beside it, whether it is whole.

use super::{StoreError, opened, reserve::Reserve, sqlite_file};
use rusqlite::OpenFlags;
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
    /// Those of `sqlite://FILE`.
    pub fn of(url: &str) -> Result<Self, StoreError> {
        let file = sqlite_file(url)?;
        let mut log = file.clone().into_os_string();
        log.push("-wal");
        let length = |path: &Path| path.metadata().map(|metadata| metadata.len()).ok();
        let unread = |error: &dyn std::fmt::Display| StoreError::Unavailable(error.to_string());
        let disk = rustix::fs::statvfs(&file).map_err(|error| unread(&error))?;
        Ok(Self {
            file: length(&file).unwrap_or_default(),
            log: length(log.as_ref()).unwrap_or_default(),
            reserve: length(Reserve::of(&file).path()),
            free: disk.f_bavail.saturating_mul(disk.f_frsize),
        })
    }
}

/// Looks through a file for damage, for so long at most: what it found, or `None` if it did not come to the end. Beside
/// a program that writes, too.
pub fn quick_check(file: &Path, limit: Duration) -> Result<Option<Vec<String>>, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = opened(file, flags)?;
    let handle = connection.get_interrupt_handle();
    let (done, over) = channel::<()>();
    let watch = std::thread::spawn(move || {
        let is_late = over.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if is_late {
            handle.interrupt();
        }
        is_late
    });
    let found = connection
        .prepare("PRAGMA quick_check")
        .and_then(|mut check| {
            check
                .query_map([], |row| row.get(0))?
                .collect::<Result<Vec<String>, _>>()
        });
    drop(done);
    let is_late = watch.join().unwrap_or_default();
    match found {
        Ok(found) if found == ["ok"] => Ok(Some(Vec::new())),
        Ok(found) => Ok(Some(found)),
        Err(_) if is_late => Ok(None),
        Err(error) => Err(error.into()),
    }
}

//! Reader connections. A point read takes microseconds, less than handing it to another thread would, so it runs where
//! it is asked for.

use super::{Database, StoreError, configure};
use rusqlite::{Connection, OpenFlags};
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// At least as many connections as threads that serve requests, each thread with one that it tries first.
pub(super) struct Readers(Box<[Mutex<Connection>]>);

impl Readers {
    pub(super) fn open(file: &Path) -> Result<Self, StoreError> {
        let threads = std::thread::available_parallelism().map_or(4, usize::from);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            let connection = Connection::open_with_flags(file, flags)?;
            configure(&connection)?;
            Ok(Mutex::new(connection))
        };
        (0..threads)
            .map(|_| open())
            .collect::<rusqlite::Result<_>>()
            .map(Self)
            .map_err(StoreError::from)
    }
}

fn preferred() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static MINE: Cell<usize> = Cell::new(NEXT.fetch_add(1, Ordering::Relaxed)));
    MINE.get()
}

impl Database {
    /// Runs a short query on this thread.
    pub fn read<T, E: Into<StoreError>>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        let readers = &self.readers.0;
        let first = preferred() % readers.len();
        let free = (0..readers.len())
            .find_map(|step| readers[(first + step) % readers.len()].try_lock().ok());
        let connection = free.unwrap_or_else(|| {
            readers[first]
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        });
        query(&connection).map_err(Into::into)
    }
}

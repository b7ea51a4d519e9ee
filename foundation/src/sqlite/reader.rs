//! Reader connections. A point read takes microseconds, less than handing it to another thread would, so it runs where
//! it is asked for.

use super::{Database, StoreError, configure, opened_to_read};
use rusqlite::Connection;
use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// At least as many connections as threads that serve requests, each thread with one that it tries first.
pub(super) struct Readers(Box<[Mutex<Connection>]>);

impl Readers {
    pub(super) fn open(file: &Path) -> Result<Self, StoreError> {
        let threads = std::thread::available_parallelism().map_or(4, usize::from);
        let open = |_| {
            let mut connection = opened_to_read(file)?;
            configure(&mut connection)?;
            Ok(Mutex::new(connection))
        };
        (0..threads).map(open).collect::<Result<_, _>>().map(Self)
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

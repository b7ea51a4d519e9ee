//! Copies of a database: whole and of one moment, also while a program writes to it.

use super::{StoreError, configure, nothing_at, sqlite_file, with_suffix};
use crate::private;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::Path;

/// Copies `sqlite://FILE` to a file that is not there yet. When this returns, the copy is on the disk.
pub fn copy(url: &str, to: &Path) -> Result<(), StoreError> {
    let file = sqlite_file(url)?;
    if !file.exists() {
        return Err(nothing_at(&file));
    }
    let flags = OpenFlags::default() - OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(&file, flags)?;
    configure(&mut connection)?;
    private::create(to).map_err(|error| cannot_write(to, &error))?;
    write_into(&connection, to)
}

/// Copies the file to `FILE.v2`, before the migration that leads away from version 2. One of an attempt that failed is
/// replaced.
pub(super) fn before_migration(
    connection: &Connection,
    file: &Path,
    version: usize,
) -> Result<(), StoreError> {
    let copy = with_suffix(file, &format!(".v{version}"));
    let part = with_suffix(file, &format!(".v{version}.part"));
    let created = private::remove(&part).and_then(|()| private::create(&part));
    created.map_err(|error| cannot_write(&part, &error))?;
    write_into(connection, &part)?;
    std::fs::rename(&part, &copy).map_err(|error| cannot_write(&copy, &error))?;
    tracing::info!(copy = %copy.display(), "made a copy of the database before its schema changes");
    Ok(())
}

/// SQLite takes an empty file, so the copy has its permissions from the start.
fn write_into(connection: &Connection, to: &Path) -> Result<(), StoreError> {
    // Whatever begins with a folder is a name to SQLite, and not a URI or ":memory:".
    let to = &Path::new(".").join(to);
    let name = to.to_str().ok_or_else(|| {
        StoreError::Unsupported("the name of the copy must be text in UTF-8".into())
    })?;
    let copied = connection.execute("VACUUM INTO ?", [name]);
    let synced = copied.map_err(StoreError::from).and_then(|_| {
        // SQLite leaves that to the system.
        let file = File::open(to).and_then(|file| file.sync_all());
        file.map_err(|error| cannot_write(to, &error))
    });
    if synced.is_err() {
        // Half a copy must not look like one.
        let _ = std::fs::remove_file(to);
    }
    synced
}

fn cannot_write(file: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unavailable(format!("cannot write {}: {error}", file.display()))
}

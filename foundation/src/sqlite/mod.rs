//! A SQLite file: one writer thread, a pool of reader connections, numbered migrations.

mod error;
mod exclusive;
mod migration;
mod reader;
mod writer;

pub use error::StoreError;
pub use exclusive::Exclusive;
pub use migration::Schema;

use reader::Readers;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use writer::Writer;

/// One open file.
pub struct Database {
    writer: Writer,
    readers: Readers,
}

impl Database {
    /// Opens `sqlite://FILE`, creating it and bringing its schema up to date.
    pub fn open(url: &str, schema: &Schema) -> Result<Self, StoreError> {
        let file = sqlite_file(url)?;
        create_private(&file)?;
        let mut connection = Connection::open_with_flags(&file, OpenFlags::default())?;
        configure(&connection)?;
        // Before anything is written, so that another program's file stays as it is; and as of one moment.
        schema.check(&*connection.transaction()?)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        schema.apply(&mut connection)?;
        Ok(Self {
            writer: Writer::start(connection)?,
            readers: Readers::open(&file)?,
        })
    }

    /// Whether the database can be written to.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }
}

/// Every connection waits for other processes (the CLI beside a running service) and survives power loss at every
/// commit.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // SQLite is built with STAT4 here, and would plan a prepared statement anew for every new value: four times the
    // work of a read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// SQLite would let everybody read the file; its companions take the file's own permissions.
fn create_private(file: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(StoreError::Unavailable(
            format!("the database file cannot be created: {error}"),
        )),
        _ => Ok(()),
    }
}

/// The file that a database URL names.
pub fn sqlite_file(url: &str) -> Result<PathBuf, StoreError> {
    let refused = |text: &str| Err(StoreError::Unsupported(text.into()));
    match url.strip_prefix("sqlite://") {
        Some(file) if file.starts_with(':') || file.starts_with("file:") => refused(
            "the database must be a file on the disk: \":memory:\", other names that start with \":\", and \"file:\" URIs \
             are not supported",
        ),
        Some(file) if !file.is_empty() && !file.contains(['?', '#']) => Ok(PathBuf::from(file)),
        _ => refused("the database must be given as sqlite://FILE"),
    }
}

//! Everything that outlives the process, in SQLite: one writer thread, a pool of reader connections.

mod account;
mod error;
mod form;
mod integration;
mod migration;
mod reader;
mod vendor;
mod writer;

pub use account::{Account, AccountStore, NewAccount, normalized};
pub use error::StoreError;
pub use form::{FormPage, TakenForm};
pub use integration::{Claim, Consent, Lookup};
pub use vendor::{Vendor, VendorSummary};

use reader::Readers;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::PathBuf;
use std::time::Duration;
use writer::Writer;

/// The database of one service.
pub struct Store {
    writer: Writer,
    readers: Readers,
}

impl Store {
    /// Opens `sqlite://FILE`, creating it and bringing its schema up to date.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let file = sqlite_file(url)?;
        let mut connection = Connection::open_with_flags(&file, OpenFlags::default())?;
        configure(&connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        migration::apply(&mut connection)?;
        Ok(Self {
            writer: Writer::start(connection)?,
            readers: Readers::open(&file)?,
        })
    }

    /// Whether the database can be written to.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }

    /// The version of the schema that this program writes.
    pub fn schema_version() -> usize {
        migration::LATEST
    }
}

/// Every connection waits for other processes (the CLI beside a running service) and survives power loss at every commit.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // SQLite is built with STAT4 here, and would plan a prepared statement anew for every new value: four times the work of a read.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

fn sqlite_file(url: &str) -> Result<PathBuf, StoreError> {
    match url.strip_prefix("sqlite://") {
        Some(file) if !file.is_empty() && !file.contains(['?', '#']) => Ok(PathBuf::from(file)),
        _ => Err(StoreError::Unsupported(
            "the database must be given as sqlite://FILE".into(),
        )),
    }
}

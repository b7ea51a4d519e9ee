//! Everything that outlives the process, in SQLite: one file per noun.

mod access;
mod account;
mod customer;
mod form;
mod integration;
mod message;
mod migration;
mod order;
mod profile;
mod purge;
mod receipt;
mod repeatable;
mod revocation;
mod rotation;
mod sign_in;
mod token_set;
mod vendor;

pub use access::Access;
pub use account::{Account, AccountStore, AccountSummary, NewAccount, StoreSummary, normalized};
pub use form::{FormPage, TakenForm};
pub use integration::{Consent, Lookup};
pub use message::{Delivery, DueMessage, MessageContent, MessageSummary};
pub use order::NewOrder;
pub use pos_connect_foundation::sqlite::StoreError;
pub use purge::{PurgeCursor, PurgeStep};
pub use receipt::StoredReceipt;
pub use repeatable::{Answered, Repeatable, Scope};
pub use revocation::Scope as RevocationScope;
pub use token_set::Claim;
pub use vendor::{Rotated, Rotation, Vendor, VendorSummary};

use crate::seal::{PROGRAM, Purpose};
use crate::token::Hash;
use migration::SCHEMA;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::sqlite::{Database, Opening, sqlite_file};
use rusqlite::Transaction;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The database of one service.
pub struct Store {
    database: Database,
    sealer: Arc<Sealer>,
}

impl Store {
    /// Opens `sqlite://FILE`; fails if it was written with another key. Without a `key` it is in a file beside the
    /// database. That file is made with the database's first rows, and never again: another key would open nothing.
    pub fn open(url: &str, key: Option<StorageKey>, opening: Opening) -> Result<Self, StoreError> {
        let database = Database::open(url, &SCHEMA, opening)?;
        let is_marked = database
            .read(|connection| connection.prepare("SELECT 1 FROM key_check")?.exists([]))?;
        let beside = || Ok(StorageKey::File(key_file(&sqlite_file(url)?)));
        let key = key.map_or_else(beside, Ok::<_, StoreError>)?;
        let sealer = key.sealer(PROGRAM, !is_marked);
        let sealer = sealer.map_err(|error| StoreError::Unsupported(error.to_string()))?;
        let sealer = database.write_blocking(move |transaction| {
            check_key(transaction, &sealer)?;
            rotation::with_fingerprints(transaction, sealer)
        })?;
        let sealer = Arc::new(sealer);
        Ok(Self { database, sealer })
    }

    /// The version of the schema that this program writes.
    pub fn schema_version() -> usize {
        SCHEMA.latest()
    }
}

impl std::ops::Deref for Store {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.database
    }
}

/// Where the storage key of a database is, unless the operator says so: `pos-connect.db.key`.
fn key_file(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".key");
    name.into()
}

/// The first start leaves a mark that only its key opens.
fn check_key(transaction: &Transaction<'_>, sealer: &Sealer) -> Result<(), StoreError> {
    let row = Hash::of("key check");
    let mark = sealer.seal(Purpose::KeyCheck, &row, b"pos-connect-service")?;
    transaction.execute(
        "INSERT OR IGNORE INTO key_check (id, sealed) VALUES (1, ?)",
        [mark],
    )?;
    let kept: Vec<u8> =
        transaction.query_row("SELECT sealed FROM key_check", [], |row| row.get(0))?;
    match sealer.open(Purpose::KeyCheck, &row, &kept) {
        Ok(_) => Ok(()),
        Err(_) => Err(StoreError::Unsupported(
            "the database was written with another storage key: without the right one its orders and customers \
             cannot be read"
                .into(),
        )),
    }
}

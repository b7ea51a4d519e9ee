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
mod receipt;
mod repeatable;
mod token_set;
mod vendor;

pub use access::Access;
pub use account::{Account, AccountStore, NewAccount, normalized};
pub use form::{FormPage, TakenForm};
pub use integration::{Consent, Lookup};
pub use message::{Delivery, DueMessage, MessageContent, MessageSummary};
pub use order::NewOrder;
pub use pos_connect_foundation::sqlite::StoreError;
pub use receipt::StoredReceipt;
pub use repeatable::{Answered, Repeatable, Scope};
pub use token_set::Claim;
pub use vendor::{Vendor, VendorSummary};

use crate::seal::{self, Purpose};
use crate::token::Hash;
use migration::SCHEMA;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::secret::storage_key;
use pos_connect_foundation::sqlite::{Database, sqlite_file};
use rusqlite::Transaction;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The database of one service.
pub struct Store {
    database: Database,
    sealer: Arc<Sealer>,
}

impl Store {
    /// Opens `sqlite://FILE`, creating it and bringing its schema up to date; fails if it was written with another key.
    /// Without a `key` it is in a file beside the database, which is made if it is not there.
    pub fn open(url: &str, key: Option<&str>) -> Result<Self, StoreError> {
        let database = Database::open(url, &SCHEMA)?;
        let unusable = |error: &dyn std::fmt::Display| StoreError::Unsupported(error.to_string());
        let key = match key {
            Some(key) => key.to_owned(),
            None => storage_key(&key_file(&sqlite_file(url)?)).map_err(|error| unusable(&error))?,
        };
        let sealer = Arc::new(seal::sealer(&key).map_err(|error| unusable(&error))?);
        let key = sealer.clone();
        database.write_blocking(move |transaction| check_key(transaction, &key))?;
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

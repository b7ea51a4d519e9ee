//! Everything that outlives the process, in SQLite: one file per noun.

mod access;
mod account;
mod form;
mod integration;
mod migration;
mod token_set;
mod vendor;

pub use access::Access;
pub use account::{Account, AccountStore, NewAccount, normalized};
pub use form::{FormPage, TakenForm};
pub use integration::{Consent, Lookup};
pub use pos_connect_foundation::sqlite::StoreError;
pub use token_set::Claim;
pub use vendor::{Vendor, VendorSummary};

use migration::SCHEMA;
use pos_connect_foundation::sqlite::Database;

/// The database of one service.
pub struct Store(Database);

impl Store {
    /// Opens `sqlite://FILE`, creating it and bringing its schema up to date.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Database::open(url, &SCHEMA).map(Self)
    }

    /// The version of the schema that this program writes.
    pub fn schema_version() -> usize {
        SCHEMA.latest()
    }
}

impl std::ops::Deref for Store {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.0
    }
}

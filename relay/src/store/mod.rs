//! Everything that outlives the process, in SQLite or PostgreSQL: one file per noun. No secret and no token is in it
//! but sealed or hashed. What has resolved is on the disk.

mod audit;
mod connection;
mod fleet_key;
mod integration;
mod keep;
mod key;
mod lease;
mod migration;
mod till;
mod token_set;

pub use audit::{Actor, AuditEntry};
pub use fleet_key::FleetKey;
pub use integration::{Integration, PickupState};
pub use keep::NewTokenSet;
pub use lease::Lease;
pub use migration::SCHEMA;
pub use pos_connect_foundation::audit::AuditQuery;
pub use pos_connect_foundation::sqlite::{Opening, StoreError};
pub use till::{Addition, Revocation, Till, TillQuery, TillRequest};
pub use token_set::{Refreshed, TokenSet, TokenSetInfo};

use audit::Record;
use lease::Leases;
use pos_connect_foundation::database::{Database, Readiness, Transaction};
use rusqlite::types::Value;

/// The database of one relay, or of several on PostgreSQL.
pub struct Store {
    database: Database,
    readiness: Readiness,
    /// Where several relays share it.
    leases: Option<Leases>,
}

impl Store {
    /// Opens `sqlite://FILE` or `postgres://USER@HOST/NAME`.
    pub async fn open(url: &str, opening: Opening) -> Result<Self, StoreError> {
        let database = Database::open(url, &SCHEMA, opening).await?;
        let leases = Leases::of(&database);
        let readiness = Readiness::default();
        Ok(Self {
            database,
            readiness,
            leases,
        })
    }

    /// The version of the schema that the database has.
    pub const fn schema_version(&self) -> usize {
        self.database.schema_version(&SCHEMA)
    }

    /// Whether the database can be written to.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.readiness.of(&self.database).await
    }

    /// Runs one changing statement; gives how many rows it changed.
    async fn change(&self, sql: &'static str, values: Vec<Value>) -> Result<usize, StoreError> {
        let change = move |transaction: &Transaction<'_>| transaction.execute(sql, values.clone());
        self.database.write(change).await
    }

    /// Runs one changing statement; if it changed something, a row of the audit tells of it.
    async fn change_noted(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        note: Record,
    ) -> Result<usize, StoreError> {
        let change = move |transaction: &Transaction<'_>| {
            let changed = transaction.execute(sql, values.clone())?;
            if changed > 0 {
                note.write(transaction)?;
            }
            Ok(changed)
        };
        self.database.write(change).await
    }
}

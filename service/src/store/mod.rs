//! Everything that outlives the process, in SQLite or PostgreSQL: one file per noun.

mod access;
mod account;
mod admin_key;
mod audit;
mod budget;
mod connection;
mod customer;
mod delivery;
mod erasure;
mod ereceipt;
mod event;
mod event_queue;
mod form;
mod integration;
mod kept_order;
mod message;
mod migration;
mod mode;
mod order;
mod passkey;
mod probe;
mod profile;
mod provider;
mod purge;
mod receipt;
mod repeatable;
mod revocation;
mod rotation;
mod sealing_key;
mod second_factor;
mod second_factor_code;
mod second_step;
mod sign_in;
mod stored_bytes;
mod token_set;
mod token_set_list;
mod vendor;
mod walk;
mod webhook;

pub use access::{TokenOwner, TokenUse};
pub use account::{
    Account, AccountStore, AccountSummary, NewAccount, ProviderAccount, StoreSummary, normalized,
};
pub use admin_key::AdminKey;
pub use audit::{Act, Actor, AuditEntry, AuditPage};
pub use budget::MessageLimits;
pub use connection::Connection;
pub use delivery::{Delivery, Parcel};
pub use erasure::{Erasure, Kept, TakenNumber};
pub use event::{EventKind, EventSummary};
pub use event_queue::DueEvent;
pub(crate) use event_queue::DueVendor;
pub use form::{FormPage, TakenForm};
pub use integration::{Consent, Lookup};
pub use message::{DueMessage, MessageContent, MessageSummary};
pub use migration::SCHEMA;
pub use order::{Channel, NewOrder};
pub use passkey::{MOST_PASSKEYS, PasskeyAnswer, PasskeySummary};
pub use pos_connect_foundation::audit::AuditQuery;
pub use pos_connect_foundation::sqlite::{Opening, StoreError};
pub(crate) use probe::PROBE;
pub use provider::{LoginFound, ProviderLogin, ProviderSignIn};
pub use purge::{PurgeCursor, PurgeStep, ReceiptStep};
pub(crate) use receipt::LINK_LENGTH;
pub use receipt::StoredReceipt;
pub use repeatable::{Answered, Repeatable, Scope};
pub use revocation::Scope as RevocationScope;
pub use sealing_key::SealingKeySummary;
pub use second_factor::{SecondFactor, SetUp};
pub use second_factor_code::{CodeRefused, Proof};
pub use second_step::SecondStep;
pub use stored_bytes::{Growth, Owner, StoredBytes};
pub use token_set::Claim;
pub use token_set_list::{TokenSetPage, TokenSetSummary};
pub use vendor::{Rotated, Rotation, Vendor, VendorSummary};
pub use webhook::{Endpoint, WebhookSummary};

use crate::clock::Timestamp;
use crate::seal::PROGRAM;
use pos_connect_foundation::database::{Database, Readiness, Transaction, is_postgres};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::sqlite::{sqlite_file, with_suffix};
use pos_connect_foundation::storage_key;
use std::sync::Arc;

/// A part of a list that is in the order of its row numbers.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// Only what comes after this row.
    pub after: i64,
    /// Rows at most.
    pub limit: u32,
}

impl Listing {
    /// The whole list.
    pub const ALL: Self = Self {
        after: 0,
        limit: u32::MAX,
    };
}

/// What work has done that goes in steps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Progress {
    /// Rows that are done.
    pub count: usize,
    /// Whether nothing is left to do.
    pub is_done: bool,
}

/// The database of one service, or of several on PostgreSQL.
pub struct Store {
    database: Database,
    readiness: Readiness,
    sealer: Arc<Sealer>,
}

impl Store {
    /// Opens `sqlite://FILE` or `postgres://USER@HOST/NAME`; fails if it was written with another key. Without a
    /// `key`, a file's is beside it, made with the database's first rows, and never again: another key would open
    /// nothing.
    pub async fn open(
        url: &str,
        key: Option<StorageKey>,
        opening: Opening,
    ) -> Result<Self, StoreError> {
        let database = Database::open(url, &SCHEMA, opening).await?;
        Self::with_key(database, url, key).await
    }

    /// Makes a store of a database that is open already.
    pub(crate) async fn with_key(
        database: Database,
        url: &str,
        key: Option<StorageKey>,
    ) -> Result<Self, StoreError> {
        let is_first = !storage_key::is_noted(&database).await?;
        let key = key.map_or_else(|| key_beside(url), Ok)?;
        let sealer = key.sealer(PROGRAM, is_first);
        let sealer = sealer.map_err(|error| StoreError::Unsupported(error.to_string()))?;
        let sealer = Arc::new(sealer);
        let checked = sealer.clone();
        let secret = database.write(move |transaction| {
            storage_key::check(transaction, &checked)?;
            rotation::fingerprint_secret(transaction, &checked)
        });
        let sealer = Arc::new(sealer.with_fingerprint_secret(secret.await?));
        let readiness = Readiness::default();
        Ok(Self {
            database,
            readiness,
            sealer,
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

    /// Names the storage key.
    pub fn key_id(&self) -> String {
        self.sealer.id()
    }
}

impl std::ops::Deref for Store {
    type Target = Database;
    fn deref(&self) -> &Database {
        &self.database
    }
}

/// Tells the audit that a copy was made, which needs no key.
pub(crate) async fn note_backup(url: &str, now: Timestamp) -> Result<(), StoreError> {
    let database = Database::open(url, &SCHEMA, Opening::Existing).await?;
    let note = |transaction: &Transaction<'_>, act| {
        audit::record(transaction, "database.copied", None, &act)
    };
    database
        .write(move |transaction| note(transaction, Act::operator(now)))
        .await
}

/// Where the storage key of a database is, unless the operator says so: `pos-connect.db.key`.
pub(crate) fn key_beside(url: &str) -> Result<StorageKey, StoreError> {
    if is_postgres(url) {
        return Err(StoreError::Unsupported(
            "a PostgreSQL database has no file for the storage key beside it: give one with --key-file, or the key in \
             POS_CONNECT_SERVICE_KEY"
                .into(),
        ));
    }
    Ok(StorageKey::File(with_suffix(&sqlite_file(url)?, ".key")))
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| StoreError::Fault(error.to_string()))
}

//! The storage key: which one the database is written with, and another.

use super::audit::Record;
use super::migration::SCHEMA;
use super::{Actor, Store, StoreError};
use crate::seal::{Purpose, Sealer};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use std::sync::Arc;

/// Where sealed values are: their table, the hash that they are bound to, their column, what they are.
const SEALED: [(&str, &str, &str, Purpose); 5] = [
    ("integration", "hash", "sealed_token", Purpose::Integration),
    ("integration", "hash", "sealed_pickup", Purpose::Pickup),
    (
        "token_set",
        "integration_hash",
        "sealed_tokens",
        Purpose::Tokens,
    ),
    (
        "token_set",
        "integration_hash",
        "sealed_ended",
        Purpose::Tokens,
    ),
    ("till_request", "hash", "sealed_key", Purpose::TillKey),
];
/// Values in memory at a time.
const BATCH: u32 = 500;

/// Another storage key: all that is sealed is sealed anew, in one transaction.
#[derive(Clone)]
pub struct KeyChange {
    old: Arc<Sealer>,
    new: Arc<Sealer>,
    at: Timestamp,
}

impl KeyChange {
    /// The change from one key to the other.
    pub fn new(old: Sealer, new: Sealer, at: Timestamp) -> Self {
        Self {
            old: Arc::new(old),
            new: Arc::new(new),
            at,
        }
    }

    fn run(&self, transaction: &Transaction<'_>) -> Result<usize, StoreError> {
        let mut changed = 0;
        for (table, key, column, purpose) in SEALED {
            let next = format!(
                "SELECT {key}, {column} FROM {table} WHERE length({column}) > 0 AND {key} > ?1 ORDER BY {key} LIMIT ?2"
            );
            let put = format!("UPDATE {table} SET {column} = ?2 WHERE {key} = ?1");
            changed += self.reseal(transaction, &next, &put, purpose)?;
        }
        let mark = "UPDATE key_check SET sealed = ?1";
        transaction.execute(mark, values![key_mark(&self.new)?])?;
        Record::new("storage_key.changed", &Actor::Operator, self.at).write(transaction)?;
        Ok(changed)
    }

    fn reseal(
        &self,
        transaction: &Transaction<'_>,
        next: &str,
        put: &str,
        purpose: Purpose,
    ) -> Result<usize, StoreError> {
        let (mut last, mut changed) = (Vec::new(), 0);
        let read = |row: &Row<'_>| Ok((row.get::<Hash>(0)?, row.get::<Vec<u8>>(1)?));
        loop {
            let rows = transaction.rows(next, values![last, BATCH], read)?;
            let Some((row, _)) = rows.last() else {
                return Ok(changed);
            };
            last = row.bytes().to_vec();
            for (row, sealed) in rows {
                match self.new.reseal(&self.old, purpose, &row, &sealed) {
                    Ok(sealed) => changed += transaction.execute(put, values![row, sealed])?,
                    Err(_) => {
                        tracing::error!(row = %row.label(), "a stored value cannot be read; it stays as it is");
                    }
                }
            }
        }
    }
}

impl Store {
    /// Keeps `sealed` as the proof of the key, unless there is one; gives the one that is there.
    pub async fn key_check(&self, sealed: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(sealed) = sealed {
            let sql = "INSERT INTO key_check (id, sealed) VALUES (1, ?1) ON CONFLICT DO NOTHING";
            self.change(sql, values![sealed]).await?;
        }
        let sql = "SELECT sealed FROM key_check";
        self.database.row(sql, values![], |row| row.get(0)).await
    }

    /// Changes the storage key; says how many values are sealed anew. No relay may serve meanwhile.
    pub async fn change_key(&self, change: KeyChange) -> Result<usize, StoreError> {
        self.database.expect_nobody_else(&SCHEMA).await?;
        self.database
            .write(move |transaction| change.run(transaction))
            .await
    }
}

/// What shows which key the database is written with: only that one opens it.
pub(crate) fn key_mark(sealer: &Sealer) -> Result<Vec<u8>, StoreError> {
    let mark = sealer.seal(Purpose::KeyCheck, &key_row(), b"pos-connect-relay");
    mark.map_err(|error| StoreError::Fault(error.to_string()))
}

/// The row that the mark is bound to.
pub(crate) fn key_row() -> Hash {
    Hash::of("key check")
}

//! The storage key: which one the database is written with, and another.

use super::audit::Record;
use super::{Actor, Store, StoreError};
use crate::seal::{Purpose, Sealer};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::storage_key::{self, SealedColumn};
use std::sync::Arc;

/// All that is sealed.
const SEALED: [SealedColumn<Vec<u8>>; 5] = [
    column(
        Purpose::Integration,
        "SELECT hash, hash, sealed_token FROM integration
         WHERE hash > ?1 AND length(sealed_token) > 0 ORDER BY hash LIMIT ?2",
        "UPDATE integration SET sealed_token = ?2 WHERE hash = ?1 AND sealed_token = ?3",
    ),
    column(
        Purpose::Pickup,
        "SELECT hash, hash, sealed_pickup FROM integration
         WHERE hash > ?1 AND length(sealed_pickup) > 0 ORDER BY hash LIMIT ?2",
        "UPDATE integration SET sealed_pickup = ?2 WHERE hash = ?1 AND sealed_pickup = ?3",
    ),
    column(
        Purpose::Tokens,
        "SELECT integration_hash, integration_hash, sealed_tokens FROM token_set
         WHERE integration_hash > ?1 AND length(sealed_tokens) > 0 ORDER BY integration_hash LIMIT ?2",
        "UPDATE token_set SET sealed_tokens = ?2 WHERE integration_hash = ?1 AND sealed_tokens = ?3",
    ),
    column(
        Purpose::Tokens,
        "SELECT integration_hash, integration_hash, sealed_ended FROM token_set
         WHERE integration_hash > ?1 AND length(sealed_ended) > 0 ORDER BY integration_hash LIMIT ?2",
        "UPDATE token_set SET sealed_ended = ?2 WHERE integration_hash = ?1 AND sealed_ended = ?3",
    ),
    column(
        Purpose::TillKey,
        "SELECT hash, hash, sealed_key FROM till_request
         WHERE hash > ?1 AND length(sealed_key) > 0 ORDER BY hash LIMIT ?2",
        "UPDATE till_request SET sealed_key = ?2 WHERE hash = ?1 AND sealed_key = ?3",
    ),
];

const fn column(purpose: Purpose, next: &'static str, put: &'static str) -> SealedColumn<Vec<u8>> {
    SealedColumn {
        next,
        put,
        purpose: purpose.number(),
        first: Vec::new(),
    }
}

impl Store {
    /// Whether something was encrypted already.
    pub async fn has_key(&self) -> Result<bool, StoreError> {
        storage_key::is_in_use(&self.database).await
    }

    /// Notes the key that the sealer seals with, as long as it does. Fails if the sealer lacks a key of the database.
    pub async fn note_key(&self, sealer: &Arc<Sealer>) -> Result<(), StoreError> {
        let sealer = sealer.clone();
        let note = move |transaction: &Transaction<'_>| {
            storage_key::note(transaction, &sealer, Purpose::KeyCheck)
        };
        self.database.write(note).await
    }

    /// Seals everything with the sealer's key, and forgets the others; says how many values were changed.
    pub async fn rotate_key(
        &self,
        sealer: &Arc<Sealer>,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        self.note_key(sealer).await?;
        let changed = storage_key::reseal(&self.database, sealer, &SEALED).await?;
        let sealer = sealer.clone();
        self.database
            .write(move |transaction| {
                if storage_key::forget_others(transaction, &sealer)? > 0 {
                    let changed = Record::new("storage_key.changed", &Actor::Operator, now);
                    changed.write(transaction)?;
                }
                Ok(())
            })
            .await?;
        Ok(changed)
    }
}

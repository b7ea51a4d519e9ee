//! The storage key: which one the database is written with, and another.

use super::audit::Record;
use super::{Actor, Store, StoreError};
use crate::seal::{Purpose, Sealer};
use pos_connect_foundation::clock::{Clock, Timestamp};
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::storage_key::{self, SealedColumn};
use std::sync::Arc;

/// All that is sealed.
const SEALED: [SealedColumn; 5] = [
    SealedColumn::new(
        Purpose::Integration.number(),
        "SELECT hash, hash, sealed_token FROM integration
         WHERE hash > ?1 AND length(sealed_token) > 0 ORDER BY hash LIMIT ?2",
        "UPDATE integration SET sealed_token = ?2 WHERE hash = ?1 AND sealed_token = ?3",
    ),
    SealedColumn::new(
        Purpose::Pickup.number(),
        "SELECT hash, hash, sealed_pickup FROM integration
         WHERE hash > ?1 AND length(sealed_pickup) > 0 ORDER BY hash LIMIT ?2",
        "UPDATE integration SET sealed_pickup = ?2 WHERE hash = ?1 AND sealed_pickup = ?3",
    ),
    SealedColumn::new(
        Purpose::Tokens.number(),
        "SELECT integration_hash, integration_hash, sealed_tokens FROM token_set
         WHERE integration_hash > ?1 AND length(sealed_tokens) > 0 ORDER BY integration_hash LIMIT ?2",
        "UPDATE token_set SET sealed_tokens = ?2 WHERE integration_hash = ?1 AND sealed_tokens = ?3",
    ),
    SealedColumn::new(
        Purpose::Tokens.number(),
        "SELECT integration_hash, integration_hash, sealed_ended FROM token_set
         WHERE integration_hash > ?1 AND length(sealed_ended) > 0 ORDER BY integration_hash LIMIT ?2",
        "UPDATE token_set SET sealed_ended = ?2 WHERE integration_hash = ?1 AND sealed_ended = ?3",
    ),
    SealedColumn::new(
        Purpose::TillKey.number(),
        "SELECT hash, hash, sealed_key FROM till_request
         WHERE hash > ?1 AND length(sealed_key) > 0 ORDER BY hash LIMIT ?2",
        "UPDATE till_request SET sealed_key = ?2 WHERE hash = ?1 AND sealed_key = ?3",
    ),
];

impl Store {
    /// Whether a key was noted already.
    pub async fn has_key(&self) -> Result<bool, StoreError> {
        storage_key::is_noted(&self.database).await
    }

    /// Fails unless the sealer opens all that is stored; then notes that its key is in use.
    pub async fn check_key(&self, sealer: &Arc<Sealer>, now: Timestamp) -> Result<(), StoreError> {
        let sealer = sealer.clone();
        let check = move |transaction: &Transaction<'_>| {
            storage_key::check(transaction, &sealer)?;
            storage_key::note(transaction, &sealer, now)
        };
        self.database.write(check).await
    }

    /// Notes that the sealer's key is in use, every now and then.
    pub async fn note_key(&self, sealer: &Arc<Sealer>, now: Timestamp) -> Result<(), StoreError> {
        let sealer = sealer.clone();
        let note =
            move |transaction: &Transaction<'_>| storage_key::note(transaction, &sealer, now);
        self.database.write(note).await
    }

    /// Seals everything with the sealer's key, once no relay writes with another one, and forgets the others; says how
    /// many values were changed.
    pub async fn rotate_key(
        &self,
        sealer: &Arc<Sealer>,
        clock: &Clock,
    ) -> Result<usize, StoreError> {
        self.check_key(sealer, clock.now()).await?;
        storage_key::wait_for_others(&self.database, sealer, clock).await?;
        let changed = storage_key::reseal::<Vec<u8>>(&self.database, sealer, &SEALED).await?;
        let (sealer, now) = (sealer.clone(), clock.now());
        self.database
            .write(move |transaction| {
                if storage_key::forget_others(transaction, &sealer, now)? > 0 {
                    let changed = Record::new("storage_key.changed", &Actor::Operator, now);
                    changed.about(&sealer.id()).write(transaction)?;
                }
                Ok(())
            })
            .await?;
        Ok(changed)
    }
}

//! Another storage key: what older keys have sealed is sealed with the current one, while services run.
//!
//! What is found by a fingerprint is found afterwards, because the secret of the fingerprints stays.

use super::audit::{Act, record};
use super::{Store, StoreError};
use crate::clock::{Clock, Timestamp};
use crate::seal::Purpose;
use crate::token::Hash;
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::storage_key::{self, SealedColumn};
use pos_connect_foundation::values;

/// All that is sealed, but for the secret of the fingerprints.
const SEALED: [SealedColumn; 9] = [
    SealedColumn::new(
        Purpose::Customer.number(),
        "SELECT id, hash, sealed FROM customer WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE customer SET sealed = ?2 WHERE id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::Order.number(),
        "SELECT id, hash, sealed FROM store_order WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE store_order SET sealed = ?2 WHERE id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::Answer.number(),
        "SELECT id, hash, sealed_answer FROM repeatable_call WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE repeatable_call SET sealed_answer = ?2 WHERE id = ?1 AND sealed_answer = ?3",
    ),
    SealedColumn::new(
        Purpose::Message.number(),
        "SELECT m.id, o.hash, m.sealed FROM message m JOIN store_order o ON o.id = m.order_id
         WHERE m.id > ?1 AND m.sealed IS NOT NULL ORDER BY m.id LIMIT ?2",
        "UPDATE message SET sealed = ?2 WHERE id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::WebhookSecrets.number(),
        "SELECT vendor_id, hash, sealed FROM webhook WHERE vendor_id > ?1 ORDER BY vendor_id LIMIT ?2",
        "UPDATE webhook SET sealed = ?2 WHERE vendor_id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::SealingKey.number(),
        "SELECT id, hash, sealed FROM sealing_key WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE sealing_key SET sealed = ?2 WHERE id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::SecondFactor.number(),
        "SELECT account_id, hash, sealed FROM second_factor WHERE account_id > ?1 ORDER BY account_id LIMIT ?2",
        "UPDATE second_factor SET sealed = ?2 WHERE account_id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::Passkey.number(),
        "SELECT id, hash, sealed FROM passkey WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE passkey SET sealed = ?2 WHERE id = ?1 AND sealed = ?3",
    ),
    SealedColumn::new(
        Purpose::PasskeyChallenge.number(),
        "SELECT id, hash, sealed FROM passkey_challenge WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE passkey_challenge SET sealed = ?2 WHERE id = ?1 AND sealed = ?3",
    ),
];

impl Store {
    /// Notes that the key of this store is in use, every now and then; `open` does so first.
    pub async fn note_key(&self, now: Timestamp) -> Result<(), StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| storage_key::note(transaction, &sealer, now))
            .await
    }

    /// Seals everything with the current storage key, once no service writes with another one, and forgets the others;
    /// says how many values were changed.
    pub async fn rotate_key(&self, clock: &Clock) -> Result<usize, StoreError> {
        storage_key::wait_for_others(self, &self.sealer, clock).await?;
        let changed = storage_key::reseal::<i64>(self, &self.sealer, &SEALED).await?;
        let (sealer, now) = (self.sealer.clone(), clock.now());
        self.write(move |transaction| {
            keep_fingerprint_secret(transaction, &sealer)?;
            if storage_key::forget_others(transaction, &sealer, now)? > 0 {
                let act = Act::operator(now);
                record(transaction, "storage_key.changed", Some(&sealer.id()), &act)?;
            }
            Ok(())
        })
        .await?;
        Ok(changed)
    }
}

/// The secret of the fingerprints. The first call makes it.
pub(super) fn fingerprint_secret(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
) -> Result<[u8; 32], StoreError> {
    let sql = "SELECT sealed FROM fingerprint_secret";
    let kept: Option<Vec<u8>> = transaction.row(sql, values![], |row| row.get(0))?;
    let Some(kept) = kept else {
        keep_fingerprint_secret(transaction, sealer)?;
        return Ok(*sealer.fingerprint_secret());
    };
    let secret = sealer.open(Purpose::FingerprintSecret, &fingerprint_row(), &kept)?;
    let secret = secret.try_into();
    secret.map_err(|_| StoreError::Fault("a secret of another length".into()))
}

fn keep_fingerprint_secret(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
) -> Result<usize, StoreError> {
    let secret = sealer.fingerprint_secret();
    let sealed = sealer.seal(Purpose::FingerprintSecret, &fingerprint_row(), secret)?;
    let put = "INSERT INTO fingerprint_secret (id, sealed) VALUES (1, ?1)
               ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed";
    transaction.execute(put, values![sealed])
}

fn fingerprint_row() -> Hash {
    Hash::of("fingerprint secret")
}

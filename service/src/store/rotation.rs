//! Another storage key: all that is sealed is sealed anew, in one transaction.
//!
//! So at every moment there is one key for all. What is found by a fingerprint keeps it, because the secret of the
//! fingerprints moves along.

use super::audit::{Act, record};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::token::Hash;
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;

/// Where sealed values are: how to read some after a row number, with their numbers and the rows they are bound to; how
/// to write one; what they are.
const SEALED: [(&str, &str, Purpose); 7] = [
    (
        "SELECT id, hash, sealed FROM customer WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE customer SET sealed = ?2 WHERE id = ?1",
        Purpose::Customer,
    ),
    (
        "SELECT id, hash, sealed FROM store_order WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE store_order SET sealed = ?2 WHERE id = ?1",
        Purpose::Order,
    ),
    (
        "SELECT id, hash, sealed_answer FROM repeatable_call WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE repeatable_call SET sealed_answer = ?2 WHERE id = ?1",
        Purpose::Answer,
    ),
    (
        "SELECT m.id, o.hash, m.sealed FROM message m JOIN store_order o ON o.id = m.order_id
         WHERE m.id > ?1 AND m.sealed IS NOT NULL ORDER BY m.id LIMIT ?2",
        "UPDATE message SET sealed = ?2 WHERE id = ?1",
        Purpose::Message,
    ),
    (
        "SELECT vendor_id, hash, sealed FROM webhook WHERE vendor_id > ?1 ORDER BY vendor_id LIMIT ?2",
        "UPDATE webhook SET sealed = ?2 WHERE vendor_id = ?1",
        Purpose::WebhookSecrets,
    ),
    (
        "SELECT id, hash, sealed FROM sealing_key WHERE id > ?1 ORDER BY id LIMIT ?2",
        "UPDATE sealing_key SET sealed = ?2 WHERE id = ?1",
        Purpose::SealingKey,
    ),
    (
        "SELECT account_id, hash, sealed FROM second_factor WHERE account_id > ?1 ORDER BY account_id LIMIT ?2",
        "UPDATE second_factor SET sealed = ?2 WHERE account_id = ?1",
        Purpose::SecondFactor,
    ),
];
/// Values in memory at a time.
const BATCH: u32 = 500;

impl Store {
    /// Seals everything with another key; says how many values. Nobody else may use the database meanwhile, and this
    /// store not afterwards.
    pub async fn change_key(&self, new: Sealer, now: Timestamp) -> Result<usize, StoreError> {
        let old = self.sealer.clone();
        self.write(move |transaction| {
            let mut changed = 0;
            for (next, put, purpose) in SEALED {
                changed += reseal(transaction, next, put, |row, sealed| {
                    new.reseal(&old, purpose, row, sealed).ok()
                })?;
            }
            let row = Hash::of("fingerprint secret");
            let secret = new.seal(Purpose::FingerprintSecret, &row, old.fingerprint_secret())?;
            let put = "INSERT INTO fingerprint_secret (id, sealed) VALUES (1, ?1)
                       ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed";
            transaction.execute(put, values![secret])?;
            transaction.execute("DELETE FROM key_check", values![])?;
            super::check_key(transaction, &new)?;
            record(
                transaction,
                "storage_key.changed",
                None,
                &Act::operator(now),
            )?;
            Ok(changed)
        })
        .await
    }
}

/// The secret of the fingerprints, if the key was changed.
pub(super) fn fingerprint_secret(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
) -> Result<Option<[u8; 32]>, StoreError> {
    let sql = "SELECT sealed FROM fingerprint_secret";
    let kept: Option<Vec<u8>> = transaction.row(sql, values![], |row| row.get(0))?;
    let Some(kept) = kept else {
        return Ok(None);
    };
    let row = Hash::of("fingerprint secret");
    let secret = sealer.open(Purpose::FingerprintSecret, &row, &kept)?;
    let secret = secret.try_into();
    let secret = secret.map_err(|_| StoreError::Fault("a secret of another length".into()))?;
    Ok(Some(secret))
}

fn reseal(
    transaction: &Transaction<'_>,
    next: &str,
    put: &str,
    seal: impl Fn(&Hash, &[u8]) -> Option<Vec<u8>>,
) -> Result<usize, StoreError> {
    let (mut last, mut changed) = (0_i64, 0);
    loop {
        let rows: Vec<(i64, Hash, Vec<u8>)> =
            transaction.rows(next, values![last, BATCH], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let Some(&(id, ..)) = rows.last() else {
            return Ok(changed);
        };
        last = id;
        for (id, row, sealed) in rows {
            match seal(&row, &sealed) {
                Some(sealed) => changed += transaction.execute(put, values![id, sealed])?,
                // It was damaged before, and holds up nobody now.
                None => {
                    tracing::error!(row = %row.label(), "a stored value cannot be read; it stays as it is")
                }
            }
        }
    }
}

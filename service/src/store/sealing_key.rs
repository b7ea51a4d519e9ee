//! The keys that shoppers' numbers are sealed for. The private halves are sealed with the storage key, so that every
//! service of the database opens what a till has sealed.

use super::audit::{Act, record};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::sealing;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use serde::Serialize;

/// A key, as the operator sees it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SealingKeySummary {
    /// Names the key.
    pub key_id: String,
    /// When it was made.
    pub created_at: String,
    /// When a new one took its place; it still opens what was sealed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<String>,
}

/// The key that tills are told of.
const CURRENT: &str = "SELECT key_id, public_key FROM sealing_key WHERE retired_at IS NULL";

impl Store {
    /// Name and public half of the key that tills are to seal for. The first call makes it.
    pub async fn sealing_key(&self, now: Timestamp) -> Result<(String, String), StoreError> {
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        if let Some(current) = self.row(CURRENT, values![], read).await? {
            return Ok(current);
        }
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            // Another call, or another service, may have been faster.
            match transaction.row(CURRENT, values![], read)? {
                Some(current) => Ok(current),
                None => add(transaction, &sealer, now),
            }
        })
        .await
    }

    /// The private half of a key; `None` if there is none of that name any more.
    pub async fn private_key(&self, key_id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT hash, sealed FROM sealing_key WHERE key_id = ?1";
        let found: Option<(Hash, Vec<u8>)> = self
            .row(sql, values![key_id], |row| Ok((row.get(0)?, row.get(1)?)))
            .await?;
        let open =
            |(row, sealed): (Hash, Vec<u8>)| self.sealer.open(Purpose::SealingKey, &row, &sealed);
        Ok(found.map(open).transpose()?)
    }

    /// Makes a new key, and gives its name. The older ones go on opening what was sealed for them; or end at once.
    pub async fn rotate_sealing_key(
        &self,
        ends_older: bool,
        now: Timestamp,
    ) -> Result<String, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            let retire = "UPDATE sealing_key SET retired_at = ?1 WHERE retired_at IS NULL";
            transaction.execute(retire, values![now])?;
            if ends_older {
                transaction.execute("DELETE FROM sealing_key", values![])?;
            }
            let (key_id, _) = add(transaction, &sealer, now)?;
            record(
                transaction,
                "sealing_key.rotated",
                Some(&key_id),
                &Act::operator(now),
            )?;
            Ok(key_id)
        })
        .await
    }

    /// All keys, the current one first.
    pub async fn sealing_keys(&self) -> Result<Vec<SealingKeySummary>, StoreError> {
        let sql = "SELECT key_id, created_at, retired_at FROM sealing_key ORDER BY id DESC";
        self.rows(sql, values![], |row| {
            let (created_at, retired_at): (Timestamp, Option<Timestamp>) =
                (row.get(1)?, row.get(2)?);
            Ok(SealingKeySummary {
                key_id: row.get(0)?,
                created_at: created_at.to_string(),
                retired_at: retired_at.map(|at| at.to_string()),
            })
        })
        .await
    }

    /// Erases the keys that another one replaced before a moment; says how many.
    pub async fn purge_sealing_keys(&self, retired_before: Timestamp) -> Result<usize, StoreError> {
        let sql = "DELETE FROM sealing_key WHERE retired_at < ?1";
        self.write(move |transaction| transaction.execute(sql, values![retired_before]))
            .await
    }
}

fn add(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    now: Timestamp,
) -> Result<(String, String), StoreError> {
    let (private, public) = sealing::new_pair();
    let key_id = Hash::of(&public).to_hex()[..16].to_owned();
    let row = Hash::of(&format!("sealing key {key_id}"));
    let sealed = sealer.seal(Purpose::SealingKey, &row, &private)?;
    let sql = "INSERT INTO sealing_key (key_id, public_key, hash, sealed, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    transaction.execute(sql, values![key_id, public, row, sealed, now])?;
    Ok((key_id, public))
}

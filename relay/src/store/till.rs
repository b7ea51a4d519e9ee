//! Tills: who may call.

use super::audit::Record;
use super::{Actor, Store, StoreError};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::Row;
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;

/// A till that proved itself, or is about to.
#[derive(Clone, Debug)]
pub struct Till {
    /// What the log and `till list` call it; nothing to guess the key by.
    pub label: String,
    /// Hash of its key.
    pub key: Hash,
    /// Whose till it is.
    pub merchant: String,
    /// Name for people.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// Whether its key was taken from it.
    pub revoked: bool,
}

const TILL: &str =
    "SELECT label, key_hash, merchant, name, created_at, revoked_at IS NOT NULL FROM till";

fn read(row: &Row<'_>) -> Result<Till, StoreError> {
    Ok(Till {
        label: row.get(0)?,
        key: row.get(1)?,
        merchant: row.get(2)?,
        name: row.get(3)?,
        created_at: row.get(4)?,
        revoked: row.get(5)?,
    })
}

impl Store {
    /// Adds a till; [`StoreError::Exists`] if its label is taken.
    pub async fn add_till(&self, till: Till) -> Result<(), StoreError> {
        let sql = "INSERT INTO till (label, key_hash, merchant, name, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT DO NOTHING";
        let Till {
            label,
            key,
            merchant,
            name,
            created_at,
            ..
        } = &till;
        let note = Record::new("till.added", &Actor::Operator, *created_at)
            .of(merchant)
            .about(label);
        let row = values![label, key, merchant, name, created_at];
        match self.change_noted(sql, row, note).await? {
            1 => Ok(()),
            _ => Err(StoreError::Exists),
        }
    }

    /// The till with a label, revoked ones too.
    pub async fn till(&self, label: &str) -> Result<Option<Till>, StoreError> {
        let sql = format!("{TILL} WHERE label = ?1");
        self.database.row(&sql, values![label], read).await
    }

    /// All tills, oldest first.
    pub async fn tills(&self) -> Result<Vec<Till>, StoreError> {
        let sql = format!("{TILL} ORDER BY created_at, label");
        self.database.rows(&sql, values![], read).await
    }

    /// Takes a till's key from it; false if there is no such till.
    pub async fn revoke_till(&self, label: &str, now: Timestamp) -> Result<bool, StoreError> {
        let sql = "UPDATE till SET revoked_at = coalesce(revoked_at, ?2) WHERE label = ?1";
        let note = Record::new("till.revoked", &Actor::Operator, now).about(label);
        Ok(self.change_noted(sql, values![label, now], note).await? == 1)
    }
}

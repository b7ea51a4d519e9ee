//! Fleet keys: what a vendor's server may call with.

use super::audit::Record;
use super::{Actor, Store, StoreError};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::{Row, STEP_PAUSE, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;

/// Tills that are revoked in one transaction.
const BATCH: u32 = 200;

/// A fleet key, by its hash.
#[derive(Clone, Debug)]
pub struct FleetKey {
    /// What the audit and `fleet-key list` call it; nothing to guess it by.
    pub label: String,
    /// Its hash.
    pub key: Hash,
    /// Name for people.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// Whether it is refused.
    pub revoked: bool,
}

const FLEET_KEY: &str =
    "SELECT label, key_hash, name, created_at, revoked_at IS NOT NULL FROM fleet_key";

fn read(row: &Row<'_>) -> Result<FleetKey, StoreError> {
    Ok(FleetKey {
        label: row.get(0)?,
        key: row.get(1)?,
        name: row.get(2)?,
        created_at: row.get(3)?,
        revoked: row.get(4)?,
    })
}

impl Store {
    /// Adds a fleet key; false if its label is taken.
    pub async fn add_fleet_key(&self, new: FleetKey) -> Result<bool, StoreError> {
        let sql =
            "INSERT INTO fleet_key (label, key_hash, name, created_at) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO NOTHING";
        let note =
            Record::new("fleet_key.added", &Actor::Operator, new.created_at).about(&new.label);
        let row = values![new.label, new.key, new.name, new.created_at];
        Ok(self.change_noted(sql, row, note).await? == 1)
    }

    /// The fleet key with a label, revoked ones too.
    pub async fn fleet_key(&self, label: &str) -> Result<Option<FleetKey>, StoreError> {
        let sql = format!("{FLEET_KEY} WHERE label = ?1");
        self.database.row(&sql, values![label], read).await
    }

    /// All fleet keys, oldest first.
    pub async fn fleet_keys(&self) -> Result<Vec<FleetKey>, StoreError> {
        let sql = format!("{FLEET_KEY} ORDER BY created_at, label");
        self.database.rows(&sql, values![], read).await
    }

    /// Refuses a fleet key from now on, and erases what only its calls need. The tills that it added stay, or are
    /// refused too (`with_tills`): gives how many those are. `None` if there is no such key.
    pub async fn revoke_fleet_key(
        &self,
        label: &str,
        with_tills: bool,
        now: Timestamp,
    ) -> Result<Option<usize>, StoreError> {
        if self.fleet_key(label).await?.is_none() {
            return Ok(None);
        }
        let sql = "UPDATE fleet_key SET revoked_at = ?2 WHERE label = ?1 AND revoked_at IS NULL";
        let note = Record::new("fleet_key.revoked", &Actor::Operator, now).about(label);
        // First: from here on it adds no till.
        self.change_noted(sql, values![label, now], note).await?;
        let (mut last, mut revoked) = (String::new(), 0);
        loop {
            let sql = "SELECT label FROM till WHERE fleet_key = ?1 AND label > ?2 ORDER BY label LIMIT ?3";
            let tills = self
                .database
                .rows(sql, values![label, last, BATCH], |row| row.get(0));
            let tills: Vec<String> = tills.await?;
            let Some(till) = tills.last() else {
                return Ok(Some(revoked));
            };
            last.clone_from(till);
            revoked += self
                .database
                .write(move |transaction| forget_or_revoke(transaction, &tills, with_tills, now))
                .await?;
            tokio::time::sleep(STEP_PAUSE).await;
        }
    }
}

/// Erases the kept keys of tills; refuses the tills themselves if asked to, and gives how many those are.
fn forget_or_revoke(
    transaction: &Transaction<'_>,
    tills: &[String],
    revokes: bool,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let mut revoked = 0;
    for till in tills {
        let sql = "DELETE FROM till_request WHERE till = ?1";
        transaction.execute(sql, values![till])?;
        if !revokes {
            continue;
        }
        let sql = "UPDATE till SET revoked_at = ?2 WHERE label = ?1 AND revoked_at IS NULL RETURNING merchant";
        let read = |row: &Row<'_>| row.get::<String>(0);
        if let Some(merchant) = transaction.row(sql, values![till, now], read)? {
            let note = Record::new("till.revoked", &Actor::Operator, now).of(&merchant);
            note.about(till).write(transaction)?;
            revoked += 1;
        }
    }
    Ok(revoked)
}

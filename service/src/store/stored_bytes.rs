//! How many bytes a vendor's tills have stored for a store.

use super::{Store, StoreError};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;

/// What a row takes beside what is sealed in it: hashes, numbers, its place in indexes.
const ROW: i64 = 200;

/// A vendor and a store, by their row numbers.
pub type Owner = (i64, i64);

/// What a call has added.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// Bytes written.
    pub written: i64,
    /// Bytes that stay until they are erased; negative if there are fewer now.
    pub kept: i64,
}

impl Growth {
    /// Counts something sealed that is written, and stays.
    pub(super) fn add(&mut self, sealed: usize) {
        self.write(sealed);
        self.kept += size(sealed);
    }

    /// Counts something sealed that is written, and goes by itself.
    pub(super) fn write(&mut self, sealed: usize) {
        self.written += size(sealed);
    }

    /// Counts something that was erased or replaced; its length when sealed.
    pub(super) fn erase(&mut self, sealed: i64) {
        self.kept -= sealed + ROW;
    }
}

fn size(sealed: usize) -> i64 {
    i64::try_from(sealed)
        .unwrap_or(i64::MAX)
        .saturating_add(ROW)
}

/// What is stored, as the database has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoredBytes {
    /// In all.
    pub total: i64,
    /// The day of `on_day`, in days since 1970.
    pub day: i64,
    /// Written on that day.
    pub on_day: i64,
}

fn read(row: &Row<'_>) -> Result<StoredBytes, StoreError> {
    Ok(StoredBytes {
        total: row.get(0)?,
        day: row.get(1)?,
        on_day: row.get(2)?,
    })
}

impl Store {
    /// What is stored for an owner.
    pub async fn stored_bytes(&self, (vendor, store): Owner) -> Result<StoredBytes, StoreError> {
        let sql =
            "SELECT total, day, on_day FROM stored_bytes WHERE vendor_id = ?1 AND store_id = ?2";
        let found = self.row(sql, values![vendor, store], read).await?;
        Ok(found.unwrap_or_default())
    }

    /// Adds to it; gives what is stored now. A day that is over counts no more.
    pub async fn add_stored_bytes(
        &self,
        (vendor, store): Owner,
        added: StoredBytes,
    ) -> Result<StoredBytes, StoreError> {
        self.write(move |transaction| {
            let sql = "INSERT INTO stored_bytes (vendor_id, store_id, total, day, on_day) VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT (vendor_id, store_id) DO UPDATE SET
                         total = CASE WHEN stored_bytes.total + ?3 > 0 THEN stored_bytes.total + ?3 ELSE 0 END,
                         on_day = CASE WHEN stored_bytes.day = ?4 THEN stored_bytes.on_day ELSE 0 END + ?5, day = ?4
                       RETURNING total, day, on_day";
            let values = values![vendor, store, added.total, added.day, added.on_day];
            transaction.one(sql, values, read)
        })
        .await
    }
}

/// Takes from it what was erased: of each owner, the length of what was sealed.
pub(super) fn forget(
    transaction: &Transaction<'_>,
    erased: &[(Owner, i64)],
) -> Result<(), StoreError> {
    let mut owners: Vec<Owner> = erased.iter().map(|(owner, _)| *owner).collect();
    // In one order in all transactions, so that none waits for another that waits for it.
    owners.sort_unstable();
    owners.dedup();
    for owner in owners {
        let of_owner = erased.iter().filter(|(other, _)| *other == owner);
        let bytes: i64 = of_owner.map(|(_, sealed)| sealed + ROW).sum();
        let sql = "UPDATE stored_bytes SET total = CASE WHEN total > ?3 THEN total - ?3 ELSE 0 END
                   WHERE vendor_id = ?1 AND store_id = ?2";
        transaction.execute(sql, values![owner.0, owner.1, bytes])?;
    }
    Ok(())
}

//! Which storage keys a database is written with, and the change from one to another while programs serve. Each program
//! has a table `storage_key`, with `key_id` and `sealed`: a row for each key that something may be sealed with.

use crate::database::{Bind, Database, Row, STEP_PAUSE, Transaction};
use crate::seal::Sealer;
use crate::sqlite::StoreError;
use crate::token::Hash;
use crate::values;
use rusqlite::types::FromSql;

/// Values that are read at once.
const BATCH: u32 = 100;

/// A column of sealed values. `K` is the key of its table.
pub struct SealedColumn<K> {
    /// Reads the values after the key `?1`, at most `?2`: key, the row that the value is bound to, value.
    pub next: &'static str,
    /// Writes the value `?2` at the key `?1`, if the one there is still `?3`.
    pub put: &'static str,
    /// What the values are.
    pub purpose: u8,
    /// Comes before all keys.
    pub first: K,
}

/// Whether something was sealed already.
pub async fn is_in_use(database: &Database) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM storage_key";
    database.exists(sql, values![]).await
}

/// Notes that values may be sealed with the sealer's key from now on. Fails, and notes nothing, if the sealer does not
/// have all keys that are noted: something could not be read.
pub fn note(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    purpose: impl Into<u8>,
) -> Result<(), StoreError> {
    let (purpose, row) = (purpose.into(), Hash::of("key check"));
    let noted = transaction.rows("SELECT sealed FROM storage_key", values![], |row| {
        row.get::<Vec<u8>>(0)
    })?;
    for sealed in noted {
        sealer.open(purpose, &row, &sealed).map_err(|error| {
            StoreError::Unsupported(format!(
                "the database was written with another storage key: without the right one, what is encrypted in it \
                 cannot be read; `--key-file` names it ({error})"
            ))
        })?;
    }
    let put = "INSERT INTO storage_key (key_id, sealed) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    let mark = sealer.seal(purpose, &row, b"")?;
    transaction.execute(put, values![sealer.id(), mark])?;
    Ok(())
}

/// Forgets the keys that nothing is sealed with any more; says how many.
pub fn forget_others(transaction: &Transaction<'_>, sealer: &Sealer) -> Result<usize, StoreError> {
    let sql = "DELETE FROM storage_key WHERE key_id <> ?1";
    transaction.execute(sql, values![sealer.id()])
}

/// Seals with the sealer's key what others of its keys have sealed; says how many values. Programs that write some may
/// run meanwhile.
pub async fn reseal<K>(
    database: &Database,
    sealer: &Sealer,
    columns: &[SealedColumn<K>],
) -> Result<usize, StoreError>
where
    K: Bind + FromSql + Clone + Send + 'static,
{
    let mut changed = 0;
    loop {
        let before = changed;
        for column in columns {
            changed += reseal_column(database, sealer, column).await?;
        }
        // What was written meanwhile is found by the next round.
        if changed == before {
            return Ok(changed);
        }
    }
}

async fn reseal_column<K>(
    database: &Database,
    sealer: &Sealer,
    column: &SealedColumn<K>,
) -> Result<usize, StoreError>
where
    K: Bind + FromSql + Clone + Send + 'static,
{
    let (mut last, mut changed) = (column.first.clone(), 0);
    let read = |row: &Row<'_>| {
        Ok((
            row.get::<K>(0)?,
            row.get::<Hash>(1)?,
            row.get::<Vec<u8>>(2)?,
        ))
    };
    loop {
        let rows = database
            .rows(column.next, values![last, BATCH], read)
            .await?;
        let Some((key, ..)) = rows.last() else {
            return Ok(changed);
        };
        last = key.clone();
        let mut changes = Vec::new();
        for (key, row, sealed) in rows {
            match sealer.reseal(column.purpose, &row, &sealed) {
                Ok(Some(resealed)) => changes.push(values![key, resealed, sealed]),
                Ok(None) => {}
                // It was damaged before, and holds up nobody now.
                Err(error) => {
                    tracing::error!(row = %row.label(), %error, "a stored value stays as it is");
                }
            }
        }
        if changes.is_empty() {
            continue;
        }
        let put = column.put;
        let write = move |transaction: &Transaction<'_>| {
            let mut changed = 0;
            for values in &changes {
                changed += transaction.execute(put, values.clone())?;
            }
            Ok(changed)
        };
        changed += database.write(write).await?;
        tokio::time::sleep(STEP_PAUSE).await;
    }
}

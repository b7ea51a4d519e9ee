//! Which storage keys a database is written with, and the change from one to another while programs serve. Each program
//! has a table `storage_key`: the ids of the keys that something may be sealed with, and when a program noted last that
//! it writes with one.

use crate::clock::{Clock, Timestamp};
use crate::database::{Bind, Database, Row, STEP_PAUSE, Transaction};
use crate::seal::{Sealer, Unreadable};
use crate::sqlite::StoreError;
use crate::token::Hash;
use crate::values;
use rusqlite::types::FromSql;
use std::time::Duration;

/// How often a program that serves notes its key.
pub const NOTE_EVERY: Duration = Duration::from_secs(30);
/// A key that was noted this long ago is no running program's. Clocks of two machines may differ by most of it.
const IN_USE: Duration = Duration::from_secs(90);
/// Values that are read at once.
const BATCH: u32 = 100;

/// A column of sealed values.
pub struct SealedColumn {
    purpose: u8,
    next: &'static str,
    put: &'static str,
}

impl SealedColumn {
    /// A column with values of one purpose. `next` reads those after the key `?1` of the table, at most `?2`: key, the
    /// row that the value is bound to, value. `put` writes the value `?2` at the key `?1`, if the one there is still
    /// `?3`.
    pub const fn new(purpose: u8, next: &'static str, put: &'static str) -> Self {
        Self { purpose, next, put }
    }
}

/// Whether a key was noted already.
pub async fn is_noted(database: &Database) -> Result<bool, StoreError> {
    database
        .exists("SELECT 1 FROM storage_key", values![])
        .await
}

/// Fails unless the sealer has all keys that were noted: else something could not be read.
pub fn check(transaction: &Transaction<'_>, sealer: &Sealer) -> Result<(), StoreError> {
    let sql = "SELECT key_id FROM storage_key";
    let noted = transaction.rows(sql, values![], |row| row.get::<String>(0))?;
    let missing = noted.into_iter().find(|key| !sealer.has(key));
    missing.map_or(Ok(()), |key| {
        Err(StoreError::Unsupported(format!(
            "the database is written with another storage key, {key}, and without it not all can be read; \
             `--key-file` names the file that it belongs in, whose first key is {}",
            sealer.id()
        )))
    })
}

/// Notes that the sealer's key is in use.
pub fn note(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    now: Timestamp,
) -> Result<(), StoreError> {
    let put = "INSERT INTO storage_key (key_id, noted_at) VALUES (?1, ?2)
               ON CONFLICT (key_id) DO UPDATE SET noted_at = excluded.noted_at";
    transaction.execute(put, values![sealer.id(), now])?;
    Ok(())
}

/// Waits until no program writes with another key than the sealer's, for as long as one is taken for running after it
/// was stopped.
pub async fn wait_for_others(
    database: &Database,
    sealer: &Sealer,
    clock: &Clock,
) -> Result<(), StoreError> {
    let begun = clock.now();
    loop {
        let now = clock.now();
        let sql = "SELECT key_id FROM storage_key WHERE key_id <> ?1 AND noted_at > ?2";
        let values = values![sealer.id(), now.before(IN_USE)];
        let other: Option<String> = database.row(sql, values, |row| row.get(0)).await?;
        let Some(key) = other else {
            return Ok(());
        };
        if now >= begun.after(IN_USE + NOTE_EVERY) {
            return Err(StoreError::Unsupported(format!(
                "a program still writes with the key {key}, or did so a minute ago: start each one again with a file \
                 whose first key is {}",
                sealer.id()
            )));
        }
        if now == begun {
            tracing::info!(
                key,
                "waiting up to two minutes, until no program writes with this key"
            );
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Forgets the keys that nothing is sealed with any more; says how many. Fails if a program began meanwhile to write
/// with one.
pub fn forget_others(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    now: Timestamp,
) -> Result<usize, StoreError> {
    note(transaction, sealer, now)?;
    let sql = "DELETE FROM storage_key WHERE key_id <> ?1 AND noted_at <= ?2";
    let forgotten = transaction.execute(sql, values![sealer.id(), now.before(IN_USE)])?;
    let sql = "SELECT 1 FROM storage_key WHERE key_id <> ?1";
    match transaction.exists(sql, values![sealer.id()])? {
        false => Ok(forgotten),
        true => Err(StoreError::Unsupported(
            "a program has begun to write with another key: stop it, and run this again".into(),
        )),
    }
}

/// Seals with the sealer's key what others of its keys have sealed; says how many values. Programs that write with it
/// may run meanwhile. The default of `K`, the type of the tables' keys, comes before all keys.
pub async fn reseal<K>(
    database: &Database,
    sealer: &Sealer,
    columns: &[SealedColumn],
) -> Result<usize, StoreError>
where
    K: Bind + Clone + Default + FromSql + Send + 'static,
{
    let mut changed = 0;
    for column in columns {
        changed += reseal_column::<K>(database, sealer, column).await?;
    }
    Ok(changed)
}

async fn reseal_column<K>(
    database: &Database,
    sealer: &Sealer,
    column: &SealedColumn,
) -> Result<usize, StoreError>
where
    K: Bind + Clone + Default + FromSql + Send + 'static,
{
    let (mut last, mut changed) = (K::default(), 0);
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
                Err(error @ Unreadable::OtherKey { .. }) => return Err(error.into()),
                // It was so before, and holds up nobody now.
                Err(Unreadable::Damaged) => {
                    tracing::error!(row = %row.label(), "a stored value is damaged; it stays as it is");
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

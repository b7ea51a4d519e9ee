//! Another storage key.

use super::row::{get, hash};
use super::{Params, record};
use crate::store::audit::Record;
use crate::store::{Actor, KeyChange, SEALED, StoreError};
use deadpool_postgres::Object;
use pos_connect_foundation::postgres::fault;

/// As [`Store::change_key`](crate::store::Store::change_key) says.
pub(super) async fn change_key(
    mut client: Object,
    change: &KeyChange,
) -> Result<usize, StoreError> {
    let transaction = client.transaction().await.map_err(fault)?;
    let patient = "SET LOCAL statement_timeout TO 0";
    transaction.batch_execute(patient).await.map_err(fault)?;
    let mut changed = 0;
    for (table, key, column, purpose) in SEALED {
        let all = format!("SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL");
        let put = format!("UPDATE {table} SET {column} = $2 WHERE {key} = $1");
        let put = transaction.prepare(&put).await.map_err(fault)?;
        for row in transaction.query(&all, &[]).await.map_err(fault)? {
            let (row, sealed) = (hash(&row, 0)?, get::<Vec<u8>>(&row, 1)?);
            if let Some(sealed) = change.reseal(purpose, &row, &sealed) {
                let row: Params<'_> = &[&&row.bytes()[..], &sealed];
                transaction.execute(&put, row).await.map_err(fault)?;
                changed += 1;
            }
        }
    }
    let mark = "UPDATE key_check SET sealed = $1";
    let marked = transaction.execute(mark, &[&change.mark()?]).await;
    marked.map_err(fault)?;
    let note = Record::new("storage_key.changed", &Actor::Operator, change.at);
    record(&transaction, note).await?;
    transaction.commit().await.map_err(fault)?;
    Ok(changed)
}

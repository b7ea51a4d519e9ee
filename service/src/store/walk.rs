//! Long tables of which a list has few rows: read in steps, so that a call which finds nothing holds nobody up.

use super::{Store, StoreError};
use pos_connect_foundation::database::{Bind, Row, STEP_PAUSE};
use pos_connect_foundation::values;
use rusqlite::types::{FromSql, Value};
use std::time::{Duration, Instant};

/// Rows that one step looks at: some milliseconds.
const STEP: u32 = 20_000;

/// A walk through a table in the order of its key.
pub(super) struct Walk<K> {
    pub table: &'static str,
    pub key: &'static str,
    /// Finds items with keys from after ?1 up to ?2, at most ?3, by what `values` are from ?4 on.
    pub list: String,
    pub values: Vec<Value>,
    /// Where it begins.
    pub after: K,
    /// No key comes after this.
    pub last: K,
    pub limit: u32,
    /// For how long it goes on.
    pub longest: Duration,
}

impl Store {
    /// Walks until the items are as many as can be, or the time is over. Where it has looked last comes with them,
    /// unless it has come to the end of the table.
    pub(super) async fn walk<K: Bind + FromSql, T>(
        &self,
        walk: Walk<K>,
        read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<(Vec<T>, Option<K>), StoreError> {
        let Walk { table, key, .. } = walk;
        let end = format!(
            "SELECT {key} FROM {table} WHERE {key} > ?1 ORDER BY {key} LIMIT 1 OFFSET {}",
            STEP - 1
        );
        let (begun, limit) = (Instant::now(), walk.limit as usize);
        let (mut items, mut after) = (Vec::new(), walk.after);
        loop {
            // Found first: rows that come meanwhile are the next step's.
            let end: Option<K> = self.row(&end, values![after], |row| row.get(0)).await?;
            let missing = walk.limit.saturating_sub(items.len() as u32);
            let mut values = values![after, end.as_ref().unwrap_or(&walk.last), missing];
            values.extend(walk.values.iter().cloned());
            items.extend(self.rows(&walk.list, values, &read).await?);
            let Some(end) = end.filter(|_| items.len() < limit) else {
                return Ok((items, None));
            };
            if begun.elapsed() >= walk.longest {
                return Ok((items, Some(end)));
            }
            after = end;
            tokio::time::sleep(STEP_PAUSE).await;
        }
    }
}

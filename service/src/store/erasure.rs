//! Orders and customers go when they are old, or when the operator says so: a few at a time, so that nobody waits.

use super::audit::{Act, record};
use super::order::row_of;
use super::stored_bytes::{Owner, forget};
use super::{Progress, Store, StoreError};
use crate::clock::Timestamp;
use pos_connect_foundation::database::{Row, STEP_PAUSE, Transaction};
use pos_connect_foundation::values;
use rusqlite::types::Value;
use std::time::{Duration, Instant};

/// Rows that are erased in one transaction, and how many bytes of them.
const BATCH: u32 = 200;
const BATCH_BYTES: i64 = 4 * 1024 * 1024;

/// What is kept for a vendor and a store.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kept {
    /// Orders, with their receipts and messages. They are as old as when they were accepted.
    Orders,
    /// Customers. They are as old as their last change.
    Customers,
}

/// Which rows are erased: those to which all of this applies.
#[derive(Clone, Debug, Default)]
pub struct Erasure {
    /// The vendor's client_id.
    pub vendor: Option<String>,
    /// The store's public id.
    pub store: Option<String>,
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// Before this one.
    pub until: Option<Timestamp>,
}

/// Whose external id is to be free again.
pub struct TakenNumber {
    /// The vendor's client_id.
    pub client_id: String,
    /// Public id of the store.
    pub store_id: String,
    /// The till, if a relay tells them apart.
    pub till: Option<String>,
    /// The till's own id of the order.
    pub external_id: String,
}

/// What a step of an erasure has done.
struct Step {
    /// Rows that are gone.
    erased: usize,
    /// The number of the last row that was looked at, to go on from; `None` at the end.
    next: Option<i64>,
}

impl Kept {
    const fn table(self) -> &'static str {
        match self {
            Self::Orders => "store_order",
            Self::Customers => "customer",
        }
    }

    const fn age(self) -> &'static str {
        match self {
            Self::Orders => "received_at",
            Self::Customers => "updated_at",
        }
    }

    const fn event(self) -> &'static str {
        match self {
            Self::Orders => "orders.erased",
            Self::Customers => "customers.erased",
        }
    }

    /// Finds the next old rows, ?2 at most, from before ?1. Orders come in the order of their age.
    fn old(self) -> String {
        let (table, age) = (self.table(), self.age());
        match self {
            Self::Orders => format!(
                "SELECT id, vendor_id, store_id, length(sealed) FROM {table}
                 WHERE {age} < ?1 AND id IN (SELECT id FROM {table} ORDER BY id LIMIT ?2)"
            ),
            Self::Customers => format!(
                "SELECT id, vendor_id, store_id, length(sealed) FROM {table} WHERE {age} < ?1 ORDER BY {age} LIMIT ?2"
            ),
        }
    }

    /// Finds the rows of an erasure after the row ?1.
    fn named(self) -> String {
        let (table, age) = (self.table(), self.age());
        format!(
            "SELECT id, vendor_id, store_id, length(sealed) FROM {table}
             WHERE id > ?1 AND {age} >= ?2 AND {age} < ?3
               AND (CAST(?4 AS bigint) IS NULL OR vendor_id = CAST(?4 AS bigint))
               AND (CAST(?5 AS bigint) IS NULL OR store_id = CAST(?5 AS bigint)) ORDER BY id LIMIT ?6"
        )
    }

    fn erase(self, transaction: &Transaction<'_>, id: i64) -> Result<(), StoreError> {
        if self == Self::Orders {
            transaction.execute("DELETE FROM message WHERE order_id = ?1", values![id])?;
            transaction.execute("DELETE FROM receipt WHERE order_id = ?1", values![id])?;
            transaction.execute("DELETE FROM number_seal WHERE order_id = ?1", values![id])?;
        }
        let sql = format!("DELETE FROM {} WHERE id = ?1", self.table());
        transaction.execute(&sql, values![id])?;
        Ok(())
    }

    /// Erases rows that a statement finds, with number, vendor, store and bytes; gives their numbers, and whether there
    /// may be more.
    fn erase_all(
        self,
        transaction: &Transaction<'_>,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<(Vec<i64>, bool), StoreError> {
        let read = |row: &Row<'_>| Ok((row.get(0)?, ((row.get(1)?, row.get(2)?), row.get(3)?)));
        let mut found: Vec<(i64, (Owner, i64))> = transaction.rows(sql, values, read)?;
        let mut bytes = 0;
        let fits = |(_, (_, sealed)): &&(i64, (Owner, i64))| {
            bytes += sealed;
            bytes - sealed < BATCH_BYTES
        };
        let fit = found.iter().take_while(fits).count();
        let may_be_more = found.len() == BATCH as usize || fit < found.len();
        found.truncate(fit);
        let (ids, sizes): (Vec<i64>, Vec<(Owner, i64)>) = found.into_iter().unzip();
        for id in &ids {
            self.erase(transaction, *id)?;
        }
        forget(transaction, &sizes)?;
        Ok((ids, may_be_more))
    }
}

impl Store {
    /// Erases some that are from before a moment; says how many, and whether there may be more.
    pub async fn erase_old(
        &self,
        kept: Kept,
        before: Timestamp,
    ) -> Result<(usize, bool), StoreError> {
        self.write(move |transaction| {
            let old = values![before, BATCH];
            let (erased, may_be_more) = kept.erase_all(transaction, &kept.old(), old)?;
            Ok((erased.len(), may_be_more))
        })
        .await
    }

    /// Erases all of an erasure, or what can be erased in a time. `Err` names what of the erasure is not there.
    pub async fn erase(
        &self,
        kept: Kept,
        erasure: Erasure,
        longest: Option<Duration>,
        act: Act,
    ) -> Result<Result<Progress, &'static str>, StoreError> {
        let (begun, mut after, mut count) = (Instant::now(), 0, 0);
        loop {
            let step = match self.erase_some(kept, erasure.clone(), after, act).await? {
                Ok(step) => step,
                Err(noun) => return Ok(Err(noun)),
            };
            count += step.erased;
            tokio::time::sleep(STEP_PAUSE).await;
            let is_done = step.next.is_none();
            if is_done || longest.is_some_and(|longest| begun.elapsed() >= longest) {
                return Ok(Ok(Progress { count, is_done }));
            }
            after = step.next.unwrap_or(i64::MAX);
        }
    }

    /// Erases some, after a row; 0 begins it, and leaves a row of the audit.
    async fn erase_some(
        &self,
        kept: Kept,
        erasure: Erasure,
        after: i64,
        act: Act,
    ) -> Result<Result<Step, &'static str>, StoreError> {
        self.write(move |transaction| {
            act.goes_on(transaction)?;
            let vendor = "SELECT id FROM vendor WHERE client_id = ?1";
            let Some(vendor) = number(transaction, vendor, erasure.vendor.as_deref())? else {
                return Ok(Err("vendor"));
            };
            let store = "SELECT id FROM store WHERE public_id = ?1";
            let Some(store) = number(transaction, store, erasure.store.as_deref())? else {
                return Ok(Err("store"));
            };
            if after == 0 {
                let names = [&erasure.vendor, &erasure.store];
                let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
                let subject = names.join(" ");
                record(transaction, kept.event(), Some(&subject), &act)?;
            }
            let since = erasure.since.unwrap_or(Timestamp(i64::MIN));
            let until = erasure.until.unwrap_or(Timestamp(i64::MAX));
            let values = values![after, since, until, vendor, store, BATCH];
            let (ids, may_be_more) = kept.erase_all(transaction, &kept.named(), values)?;
            Ok(Ok(Step {
                erased: ids.len(),
                next: ids.last().copied().filter(|_| may_be_more),
            }))
        })
        .await
    }

    /// Erases an order with its message and receipt, so that its external id is free. False if there is no such order.
    pub async fn free_order(&self, order: TakenNumber, act: Act) -> Result<bool, StoreError> {
        let sealer = self.sealer.clone();
        self.write(move |transaction| {
            let sql = "SELECT vendor.id, store.id FROM vendor, store
                       WHERE vendor.client_id = ?1 AND store.public_id = ?2";
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            let of: Option<(i64, i64)> =
                transaction.row(sql, values![order.client_id, order.store_id], read)?;
            let Some((vendor, store)) = of else {
                return Ok(false);
            };
            let row = row_of(&sealer, vendor, store, order.till.as_deref(), &order.external_id);
            let number = row_of(&sealer, vendor, store, None, &order.external_id);
            let sql = "SELECT id, vendor_id, store_id, length(sealed) FROM store_order WHERE number = ?1 AND hash = ?2";
            if Kept::Orders.erase_all(transaction, sql, values![number, row])?.0.is_empty() {
                return Ok(false);
            }
            record(transaction, "order.freed", Some(&order.store_id), &act)?;
            Ok(true)
        })
        .await
    }
}

/// The row number of what is named, or `Some(None)` if nothing is; `None` if it is not there.
fn number(
    transaction: &Transaction<'_>,
    sql: &str,
    name: Option<&str>,
) -> Result<Option<Option<i64>>, StoreError> {
    match name {
        None => Ok(Some(None)),
        Some(name) => Ok(transaction
            .row(sql, values![name], |row| row.get(0))?
            .map(Some)),
    }
}

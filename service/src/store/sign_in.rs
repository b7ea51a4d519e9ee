//! How often passwords were tried, and where each account was signed in to from.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::limit::micros;
use crate::sign_in::{Spent, Success};
use crate::token::Hash;
use rusqlite::{OptionalExtension, Transaction, params};
use std::time::Duration;

/// An address that was not used for so long is strange again.
const FAMILIAR_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Whether an attempt fits into its budgets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Counted {
    /// It does.
    Fits {
        /// Whether one that alerts has nothing left now.
        is_last: bool,
    },
    /// Not for so many seconds.
    Refused(u64),
}

impl Store {
    /// Counts an attempt against its budgets, in order, up to the first in which there is no room.
    pub async fn count_attempt(
        &self,
        spends: Vec<Spent>,
        now: Timestamp,
    ) -> Result<Counted, StoreError> {
        self.write(move |transaction| {
            let now = micros(now);
            let mut is_last = false;
            for spent in &spends {
                let before = full_at(transaction, &spent.key)?.unwrap_or(now);
                match spent.budget.spend(before, now) {
                    Err(seconds) => return Ok(Counted::Refused(seconds)),
                    Ok(after) => {
                        put(transaction, &spent.key, after)?;
                        is_last |= spent.alerts && spent.budget.spend(after, now).is_err();
                    }
                }
            }
            Ok(Counted::Fits { is_last })
        })
        .await
    }

    /// The attempt was the account's owner: gives the budgets back, and knows the address from now on.
    pub async fn count_success(
        &self,
        spends: Vec<Spent>,
        account: i64,
        address: Option<Hash>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            for spent in &spends {
                match (spent.success, full_at(transaction, &spent.key)?) {
                    (Success::Fills, _) => put(transaction, &spent.key, 0)?,
                    (Success::GivesBack, Some(before)) => {
                        put(transaction, &spent.key, spent.budget.give_back(before))?;
                    }
                    _ => {}
                }
            }
            if let Some(address) = address {
                transaction
                    .prepare_cached(
                        "INSERT INTO familiar_address (account_id, address, seen_at) VALUES (?, ?, ?)
                         ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at",
                    )?
                    .execute(params![account, address, now])?;
            }
            Ok(())
        })
        .await
    }

    /// Whether the account was signed in to from this address lately.
    pub fn is_familiar(
        &self,
        account: i64,
        address: &Hash,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT 1 FROM familiar_address WHERE account_id = ? AND address = ? AND seen_at > ?",
                )?
                .exists(params![account, address, now.before(FAMILIAR_FOR)])
        })
    }

    /// Forgets budgets that are full again, and addresses that nobody has used for long.
    pub async fn purge_sign_ins(&self, now: Timestamp) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let full = "DELETE FROM sign_in_budget WHERE full_at < ?";
            transaction.execute(full, [micros(now)])?;
            let unused = "DELETE FROM familiar_address WHERE seen_at <= ?";
            transaction.execute(unused, [now.before(FAMILIAR_FOR)])?;
            Ok(())
        })
        .await
    }
}

fn full_at(transaction: &Transaction<'_>, key: &Hash) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT full_at FROM sign_in_budget WHERE key = ?";
    let mut statement = transaction.prepare_cached(sql)?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}

fn put(transaction: &Transaction<'_>, key: &Hash, full_at: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO sign_in_budget (key, full_at) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET full_at = excluded.full_at";
    transaction
        .prepare_cached(sql)?
        .execute(params![key, full_at])?;
    Ok(())
}

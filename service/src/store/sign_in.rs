//! How often passwords were tried, and where each account was signed in to from.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::limit::micros;
use crate::sign_in::Owner;
use crate::token::Hash;
use rusqlite::{OptionalExtension, params};
use std::time::Duration;

/// An address that was not used for so long is strange again.
const FAMILIAR_FOR: Duration = Duration::from_secs(90 * 24 * 60 * 60);

impl Store {
    /// When a budget is full again, in microseconds since 1970; `None` if nothing is spent of it.
    pub fn budget(&self, key: &Hash) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT full_at FROM sign_in_budget WHERE key = ?";
        self.read(|connection| {
            connection
                .prepare_cached(sql)?
                .query_row([key], |row| row.get(0))
                .optional()
        })
    }

    /// Keeps what an attempt has changed, and, after a success, where the account was signed in to from.
    pub async fn keep_budgets(
        &self,
        changed: Vec<(Hash, i64)>,
        success: Option<Owner>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let put = "INSERT INTO sign_in_budget (key, full_at) VALUES (?, ?)
                 ON CONFLICT DO UPDATE SET full_at = excluded.full_at";
            let mut put = transaction.prepare_cached(put)?;
            for budget in changed {
                put.execute(budget)?;
            }
            if let Some((account, Some(address))) = success {
                let sql =
                    "INSERT INTO familiar_address (account_id, address, seen_at) VALUES (?, ?, ?)
                     ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at";
                transaction
                    .prepare_cached(sql)?
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

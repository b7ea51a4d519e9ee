//! How much of what has a limit was done, over all services of the database: text messages by number, till and store,
//! changes of a profile and of a second factor, and e-receipts that are switched.

use super::event::places;
use super::repeatable::Scope;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::limit::{Budget, micros};
use crate::seal::{Purpose, row};
use crate::token::Hash;
use pos_connect_foundation::database::{Bind, Row, Transaction};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use std::time::Duration;

/// Budgets that are forgotten in one transaction.
const BATCH: u32 = 500;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Messages a day, each at least 1: so many at once, and so many again over each day that follows.
#[derive(Clone, Copy, Debug)]
pub struct MessageLimits {
    /// To one phone number, of all stores.
    pub per_number: u32,
    /// The same for one till that a relay tells apart.
    pub per_till: u32,
    /// The same for one vendor and store.
    pub per_store: u32,
}

impl Default for MessageLimits {
    fn default() -> Self {
        Self {
            per_number: 20,
            per_till: 1_000,
            per_store: 5_000,
        }
    }
}

impl MessageLimits {
    /// What a message to a number is counted against. Those of test mode take nothing from a shopper.
    pub(super) fn budgets(
        self,
        sealer: &Sealer,
        scope: Scope,
        till: Option<&str>,
        (mode, phone): (Mode, &str),
    ) -> Vec<(Hash, Budget)> {
        let per_day = |count: u32| Budget::new(count, DAY / count.max(1));
        let Scope { vendor, store, .. } = scope;
        let key =
            |vendor, store, names: &[&str]| row(sealer, Purpose::Budget, vendor, store, names);
        let number = [mode.prefix(), "number"].concat();
        let mut budgets = vec![
            (key(0, 0, &[&number, phone]), per_day(self.per_number)),
            (key(vendor, store, &["store"]), per_day(self.per_store)),
        ];
        if let Some(till) = till {
            budgets.push((key(vendor, store, &["till", till]), per_day(self.per_till)));
        }
        budgets
    }
}

/// Changes that can be undone and made again without end: each is a row of the audit.
fn changes() -> Budget {
    Budget::new(60, Duration::from_secs(60))
}

/// What a merchant's switching of e-receipts is counted against.
pub(super) fn switches(account: i64) -> (Hash, Budget) {
    (Hash::of(&format!("switches of {account}")), changes())
}

/// What a merchant's changes of the second factor are counted against.
pub(super) fn factor_changes(account: i64) -> (Hash, Budget) {
    let key = format!("changes of the second factor of {account}");
    (Hash::of(&key), changes())
}

/// What a change of a store's profile by a vendor is counted against.
pub(super) fn profile_changes(sealer: &Sealer, scope: Scope) -> (Hash, Budget) {
    let key = row(
        sealer,
        Purpose::Budget,
        scope.vendor,
        scope.store,
        &["profile"],
    );
    (key, changes())
}

/// Spends one of each budget. Or spends nothing, and says in how many seconds the first one that is used up has room.
pub(super) fn spend(
    transaction: &Transaction<'_>,
    budgets: &[(Hash, Budget)],
    now: Timestamp,
) -> Result<Result<(), u64>, StoreError> {
    match spent(transaction, budgets, now)? {
        Ok(spent) => keep(transaction, &spent).map(Ok),
        Err(wait) => Ok(Err(wait)),
    }
}

/// When each budget is full again once one of it is spent, which [`keep`] does.
pub(super) fn spent(
    transaction: &Transaction<'_>,
    budgets: &[(Hash, Budget)],
    now: Timestamp,
) -> Result<Result<Vec<(Hash, i64)>, u64>, StoreError> {
    let keys = places(1, budgets.len());
    let get = format!("SELECT key, full_at FROM budget WHERE key IN ({keys})");
    let values = budgets.iter().map(|(key, _)| key.bind()).collect();
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let stored: Vec<(Hash, i64)> = transaction.rows(&get, values, read)?;
    let now = micros(now);
    let spend = |(key, budget): &(Hash, Budget)| {
        let full_at = stored.iter().find(|(known, _)| known.matches(key));
        let full_at = full_at.map_or(now, |(_, full_at)| *full_at);
        Ok((*key, budget.spend(full_at, now)?))
    };
    Ok(budgets.iter().map(spend).collect())
}

/// Keeps what was spent.
pub(super) fn keep(transaction: &Transaction<'_>, spent: &[(Hash, i64)]) -> Result<(), StoreError> {
    let rows: Vec<_> = (0..spent.len())
        .map(|row| format!("({})", places(1 + 2 * row, 2)))
        .collect();
    let rows = rows.join(", ");
    let put = format!(
        "INSERT INTO budget (key, full_at) VALUES {rows}
         ON CONFLICT (key) DO UPDATE SET full_at = excluded.full_at"
    );
    let values = spent
        .iter()
        .flat_map(|(key, full_at)| [key.bind(), full_at.bind()]);
    transaction.execute(&put, values.collect())?;
    Ok(())
}

impl Store {
    /// Forgets the budgets that are full again, and with them the hashes of numbers.
    pub async fn purge_budgets(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut last = Vec::new();
        loop {
            // There is no index for it, so they are looked for outside of the one writer.
            let sql =
                "SELECT key FROM budget WHERE key > ?1 AND full_at <= ?2 ORDER BY key LIMIT ?3";
            let read = |row: &Row<'_>| row.get(0);
            let values = values![last, micros(now), BATCH];
            let full: Vec<Hash> = self.rows(sql, values, read).await?;
            let Some(key) = full.last() else {
                return Ok(());
            };
            last = key.bytes().to_vec();
            self.write(move |transaction| {
                for key in &full {
                    // A message may have been counted meanwhile.
                    let sql = "DELETE FROM budget WHERE key = ?1 AND full_at <= ?2";
                    transaction.execute(sql, values![key, micros(now)])?;
                }
                Ok(())
            })
            .await?;
        }
    }
}

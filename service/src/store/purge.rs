//! What has ended goes, after a while: a few rows at a time, so that nobody waits for it.

use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;

/// Integrations that are looked at in one transaction.
const BATCH: u32 = 500;

/// Where a purge goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct PurgeCursor {
    /// When the integration that was looked at last was created.
    created_at: i64,
    /// Its hash: many can be created in one millisecond.
    hash: Option<Hash>,
}

/// What a step of a purge has done.
pub struct PurgeStep {
    /// Where to go on; `None` at the end.
    pub next: Option<PurgeCursor>,
    /// Integrations that are gone.
    pub purged: usize,
}

/// What a step of a purge of receipts has done.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceiptStep {
    /// Receipts that are gone, each with its message.
    pub receipts: usize,
    /// Dead letters whose number is gone.
    pub numbers: usize,
    /// Whether there may be more.
    pub goes_on: bool,
}

/// What is looked for by hash and time, and goes here, so that no call that adds one has to.
const EXPIRED: [&str; 2] = [
    "DELETE FROM repeatable_call WHERE id IN
       (SELECT id FROM repeatable_call WHERE kept_until <= ?1 ORDER BY kept_until LIMIT ?2)",
    "DELETE FROM spent_refresh WHERE hash IN
       (SELECT hash FROM spent_refresh WHERE refresh_until <= ?1 ORDER BY refresh_until LIMIT ?2)",
];

/// Receipts that cannot be opened any more, of orders that have no other one, and no message that waits.
const OVER: &str = "SELECT order_id FROM receipt WHERE expires_at <= ?1
       AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.order_id = receipt.order_id AND r.expires_at > ?1)
       AND NOT EXISTS (SELECT 1 FROM message m WHERE m.order_id = receipt.order_id AND m.state = 'queued')
     ORDER BY expires_at LIMIT ?2";

/// Number and link of what failed so long ago.
const UNDELIVERABLE: &str = "UPDATE message SET sealed = NULL WHERE id IN
       (SELECT id FROM message WHERE state = 'failed' AND sealed IS NOT NULL AND due_at <= ?1
        ORDER BY due_at LIMIT ?2)";

/// The next integrations, oldest first, and whether each has ended before the moment ?3: nobody can pick its tokens up
/// any more, and it has none that are valid.
const NEXT: &str = "SELECT i.hash, i.created_at, CASE
       WHEN t.integration_hash IS NOT NULL THEN coalesce(t.revoked_at, t.refresh_until) < ?3 OR t.refresh_until < ?3
       WHEN i.status = 'pending' THEN i.expires_at < ?3
       WHEN i.status = 'cancelled' THEN i.decided_at < ?3
       ELSE i.pickup_until < ?3 END
     FROM integration i LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.created_at < ?3 AND (i.created_at, i.hash) > (?1, ?2) ORDER BY i.created_at, i.hash LIMIT ?4";

impl Store {
    /// Erases integrations that ended before a moment, with their token sets; looks at some, from a cursor on.
    pub async fn purge(
        &self,
        from: PurgeCursor,
        ended_before: Timestamp,
    ) -> Result<PurgeStep, StoreError> {
        self.write(move |transaction| {
            if from.hash.is_none() {
                // Those about no integration go with none.
                let tests = "DELETE FROM event WHERE integration_hash IS NULL AND at < ?1";
                transaction.execute(tests, values![ended_before])?;
            }
            let rows = next(transaction, from, ended_before)?;
            let is_end = rows.len() < BATCH as usize;
            let last = rows.last().map(|&(hash, created_at, _)| PurgeCursor {
                created_at,
                hash: Some(hash),
            });
            let ended = rows.iter().filter(|(_, _, has_ended)| *has_ended);
            let mut purged = 0;
            for (hash, _, _) in ended {
                erase(transaction, hash)?;
                purged += 1;
            }
            Ok(PurgeStep {
                next: last.filter(|_| !is_end),
                purged,
            })
        })
        .await
    }
}

impl Store {
    /// Erases some kept answers and some spent refresh tokens that are past their time; says whether there may be more.
    pub async fn purge_expired(&self, now: Timestamp) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let mut goes_on = false;
            for sql in EXPIRED {
                goes_on |= transaction.execute(sql, values![now, BATCH])? == BATCH as usize;
            }
            Ok(goes_on)
        })
        .await
    }

    /// Erases some receipts that cannot be opened any more, with their messages, and the numbers in some messages that
    /// failed before a moment. The orders stay: an order that comes again must not become a second one.
    pub async fn purge_receipts(
        &self,
        now: Timestamp,
        failed_before: Timestamp,
    ) -> Result<ReceiptStep, StoreError> {
        self.write(move |transaction| {
            let read = |row: &Row<'_>| row.get(0);
            let orders: Vec<i64> = transaction.rows(OVER, values![now, BATCH], read)?;
            for order in &orders {
                transaction.execute("DELETE FROM message WHERE order_id = ?1", values![*order])?;
                transaction.execute("DELETE FROM receipt WHERE order_id = ?1", values![*order])?;
            }
            let numbers = transaction.execute(UNDELIVERABLE, values![failed_before, BATCH])?;
            Ok(ReceiptStep {
                receipts: orders.len(),
                numbers,
                goes_on: orders.len().max(numbers) == BATCH as usize,
            })
        })
        .await
    }
}

fn next(
    transaction: &Transaction<'_>,
    from: PurgeCursor,
    ended_before: Timestamp,
) -> Result<Vec<(Hash, i64, bool)>, StoreError> {
    let after = from.hash.map_or(Vec::new(), |hash| hash.bytes().to_vec());
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let values = values![from.created_at, after, ended_before, BATCH];
    transaction.rows(NEXT, values, read)
}

fn erase(transaction: &Transaction<'_>, hash: &Hash) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM event WHERE integration_hash = ?1",
        "DELETE FROM form WHERE integration_hash = ?1",
        "DELETE FROM provider_login WHERE integration_hash = ?1",
        "DELETE FROM spent_refresh WHERE integration_hash = ?1",
        "DELETE FROM token_set WHERE integration_hash = ?1",
        "DELETE FROM integration WHERE hash = ?1",
    ] {
        transaction.execute(sql, values![hash])?;
    }
    Ok(())
}

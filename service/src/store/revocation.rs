//! Token sets that the operator ends: those of a vendor, an account, a store.

use super::account::{NAMED, named, release};
use super::audit::{Act, record};
use super::event::{EventKind, add_events, places};
use super::walk::Walk;
use super::{Progress, Store, StoreError};
use crate::token::Hash;
use pos_connect_foundation::database::{Bind, STEP_PAUSE, Transaction};
use pos_connect_foundation::values;
use std::time::{Duration, Instant};

/// Whose token sets; what is not given does not matter.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// A vendor's `clientId`.
    pub vendor: Option<String>,
    /// An account's email address or public id.
    pub account: Option<String>,
    /// A store's public id.
    pub store: Option<String>,
}

/// Token sets that are ended in one transaction: one with all would hold everybody up, and on a busy PostgreSQL never
/// come through.
const BATCH: u32 = 500;

/// The row numbers of a scope.
pub(super) struct Rows {
    pub(super) vendor: Option<i64>,
    pub(super) account: Option<i64>,
    pub(super) store: Option<i64>,
}

/// Some integrations of a scope with something to end.
const LIVE: &str = "SELECT i.hash FROM integration i LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.hash > ?1 AND i.hash <= ?2
       AND (CAST(?5 AS bigint) IS NULL OR i.vendor_id = CAST(?5 AS bigint))
       AND (CAST(?6 AS bigint) IS NULL OR i.owner_id = CAST(?6 AS bigint))
       AND (CAST(?7 AS bigint) IS NULL OR i.store_id = CAST(?7 AS bigint))
       AND ((t.integration_hash IS NOT NULL AND t.revoked_at IS NULL) OR (i.claimed_at IS NULL AND i.pickup_until > ?4))
     ORDER BY i.hash LIMIT ?3";

impl Scope {
    /// Its row numbers. `Err` names what is not there.
    pub(super) async fn rows(
        &self,
        store: &Store,
    ) -> Result<Result<Rows, &'static str>, StoreError> {
        let account = self.account.as_deref().map(named);
        let by_name = format!("SELECT id FROM account WHERE {NAMED}");
        let parts = [
            (
                "vendor",
                "SELECT id FROM vendor WHERE client_id = ?1",
                &self.vendor,
            ),
            ("account", &by_name, &account),
            (
                "store",
                "SELECT id FROM store WHERE public_id = ?1",
                &self.store,
            ),
        ];
        let mut rows = [None; 3];
        for (row, (noun, sql, name)) in rows.iter_mut().zip(parts) {
            let Some(name) = name else { continue };
            *row = store.row(sql, values![name], |row| row.get(0)).await?;
            if row.is_none() {
                return Ok(Err(noun));
            }
        }
        let [vendor, account, store] = rows;
        Ok(Ok(Rows {
            vendor,
            account,
            store,
        }))
    }
}

impl Store {
    /// Ends every token set of a scope, and those that still wait to be picked up, or as many as can be ended in a
    /// time. The row of the audit comes first: should the work break off, it tells of those that have ended.
    /// `Err` names what of the scope is not there.
    pub async fn revoke_all(
        &self,
        scope: Scope,
        longest: Option<Duration>,
        act: Act,
    ) -> Result<Result<Progress, &'static str>, StoreError> {
        let begun = Instant::now();
        let rows = match scope.rows(self).await? {
            Ok(rows) => rows,
            Err(noun) => return Ok(Err(noun)),
        };
        self.begin_revocation(scope, act).await?;
        let (mut after, mut count) = (Some(Hash::from_bytes([0; 32])), 0);
        while let Some(from) = after {
            // Who asks again begins at the start: a time that ends nothing would end nothing for ever.
            if longest.is_some_and(|longest| count > 0 && begun.elapsed() >= longest) {
                break;
            }
            let walk = Walk {
                table: "integration",
                key: "hash",
                list: LIVE.into(),
                values: values![act.now, rows.vendor, rows.account, rows.store],
                after: from,
                last: Hash::from_bytes([0xff; 32]),
                limit: BATCH,
                longest: Duration::ZERO,
            };
            let (live, seen): (Vec<Hash>, _) = self.walk(walk, |row| row.get(0)).await?;
            after = match live.len() < BATCH as usize {
                true => seen,
                false => live.last().copied(),
            };
            if !live.is_empty() {
                let ended = self.write(move |transaction| end(transaction, &live, &act));
                count += ended.await?;
            }
            tokio::time::sleep(STEP_PAUSE).await;
        }
        let is_done = after.is_none();
        Ok(Ok(Progress { count, is_done }))
    }

    async fn begin_revocation(&self, scope: Scope, act: Act) -> Result<(), StoreError> {
        self.write(move |transaction| {
            if let Some(account) = &scope.account {
                // Who has signed in and not decided yet would connect right after.
                release(transaction, &named(account))?;
            }
            let parts = [&scope.vendor, &scope.account, &scope.store];
            let subject: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
            let subject = subject.join(" ");
            record(transaction, "token_sets.revoked", Some(&subject), &act)
        })
        .await
    }
}

fn end(
    transaction: &Transaction<'_>,
    integrations: &[Hash],
    act: &Act,
) -> Result<usize, StoreError> {
    act.goes_on(transaction)?;
    let now = act.now;
    let places = places(2, integrations.len());
    let held = format!(
        "UPDATE token_set SET revoked_at = ?1, used_at = coalesce(used_at, ?1)
         WHERE revoked_at IS NULL AND integration_hash IN ({places}) RETURNING integration_hash"
    );
    let waiting = format!(
        "UPDATE integration SET pickup_until = ?1
         WHERE claimed_at IS NULL AND pickup_until > ?1 AND hash IN ({places}) RETURNING hash"
    );
    let mut values = values![now];
    values.extend(integrations.iter().map(Bind::bind));
    let mut ended: Vec<Hash> = transaction.rows(&held, values.clone(), |row| row.get(0))?;
    ended.extend(transaction.rows(&waiting, values, |row| row.get::<Hash>(0))?);
    add_events(transaction, &ended, EventKind::Revoked("operator"), now)?;
    Ok(ended.len())
}

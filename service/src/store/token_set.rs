//! Token sets: how one comes to be, is replaced, used and ended. One row for each integration, so that no two pairs are
//! ever valid.

use super::audit::{Act, record};
use super::event::{EventKind, add_event};
use super::{Store, StoreError, TokenUse};
use crate::clock::Timestamp;
use crate::limit::{Budget, micros};
use crate::token::Hash;
use crate::token_set::{SpentAgain, SpentRefreshToken, StoredPair, TokenSet};
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;
use pos_connect_protocol::ProblemCode;
use std::time::Duration;

/// Exchanges of one token set: a burst, and one more for each time that passes. Each leaves a row for as long as its
/// token would have lived.
const EXCHANGES: (u32, Duration) = (100, Duration::from_secs(60));

/// What goes into an answer beside the tokens.
pub struct Claim {
    /// The merchant's choice.
    pub ereceipt: bool,
    /// Public id of the account.
    pub account_id: String,
    /// Name of the account.
    pub account_name: String,
    /// Public id of the store.
    pub store_id: String,
    /// Name of the store.
    pub store_name: String,
}

impl Store {
    /// Hands out the token set of a finished integration: once, whoever else asks at the same moment.
    /// Nobody's if the caller goes away before its turn, so that the till can ask again.
    pub async fn claim(
        &self,
        integration: Hash,
        pickup: Option<Hash>,
        pair: StoredPair,
        act: Act,
    ) -> Result<Option<Claim>, StoreError> {
        self.write_if_awaited(move |transaction| {
            let sql = "UPDATE integration SET claimed_at = ?2
                 WHERE hash = ?1 AND status = 'finished' AND claimed_at IS NULL AND pickup_until > ?2";
            let claimed = transaction.execute(sql, values![integration, act.now])?;
            if claimed == 0 {
                return Ok(None);
            }
            let sql = "INSERT INTO token_set (integration_hash, access_hash, refresh_hash, access_until, refresh_until,
                 created_at, pickup_hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            transaction.execute(sql, values![
                    integration, pair.access, pair.refresh, pair.access_until, pair.refresh_until, act.now, pickup
                ])?;
            record(transaction, "token_set.picked_up", Some(&integration.label()), &act)?;
            add_event(transaction, &integration, EventKind::TokensRetrieved, act.now)?;
            transaction.on_commit(
                move || tracing::info!(integration = %integration.label(), "a token set is claimed"),
            );
            read_claim(transaction, &integration).map(Some)
        })
        .await
    }

    /// Puts a new pair in the place of one whose answer was lost. Nothing is replaced for a caller that goes away
    /// before its turn.
    pub async fn reissue(
        &self,
        integration: Hash,
        pickup: Hash,
        pair: StoredPair,
        act: Act,
        window: Duration,
    ) -> Result<Result<Claim, ProblemCode>, StoreError> {
        self.write_if_awaited(move |transaction| {
            // No other write comes between this look and the change: both are in one transaction.
            let set = transaction.row(TOKEN_SET, values![integration], read_token_set)?;
            let set = set.ok_or(StoreError::Fault(
                "a claimed integration has no token set".into(),
            ))?;
            if let Err(code) = set.reissue_at(&pickup, act.now, window) {
                return Ok(Err(code));
            }
            // The pair before is unknown from here on.
            let sql = "UPDATE token_set SET access_hash = ?2, refresh_hash = ?3, access_until = ?4, refresh_until = ?5,
                 pair_used_at = NULL, reissues = reissues + 1 WHERE integration_hash = ?1";
            transaction.execute(sql, values![
                    integration, pair.access, pair.refresh, pair.access_until, pair.refresh_until
                ])?;
            record(transaction, "token_set.reissued", Some(&integration.label()), &act)?;
            transaction.on_commit(
                move || tracing::info!(integration = %integration.label(), "a token set is reissued"),
            );
            read_claim(transaction, &integration).map(Ok)
        })
        .await
    }

    /// What decides about a reissue; `None` if nothing was picked up yet.
    pub async fn token_set(&self, integration: &Hash) -> Result<Option<TokenSet>, StoreError> {
        self.row(TOKEN_SET, values![integration], read_token_set)
            .await
    }

    /// Notes that a pair is in use, and when: a call that only looks leaves an earlier time. False if its access token
    /// is not the valid one any more.
    pub async fn mark_used(&self, access: Hash, call: TokenUse) -> Result<bool, StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT CASE WHEN pair_used_at IS NOT NULL THEN used_at END FROM token_set
                 WHERE access_hash = ?1 AND revoked_at IS NULL";
            let Some(used_at) = transaction.row(sql, values![access], |row| row.get(0))? else {
                return Ok(false);
            };
            // One of the calls that come at once notes it for all: on PostgreSQL a change of a row makes all others
            // that are about to change it begin again.
            if !call.is_noted(used_at) {
                let sql = "UPDATE token_set SET pair_used_at = coalesce(pair_used_at, ?2),
                       used_at = CASE WHEN CAST(?3 AS boolean) THEN coalesce(used_at, ?2) ELSE ?2 END
                     WHERE access_hash = ?1";
                transaction.execute(sql, values![access, call.at, call.looks])?;
            }
            Ok(true)
        })
        .await
    }

    /// Exchanges a vendor's refresh token for a new pair. One that was exchanged before gets another pair while its
    /// answer may have been lost; else it is in two hands and ends the token set (RFC 9700 §4.14). `None` if it is not
    /// valid; or in how many seconds there may be another exchange.
    pub async fn refresh(
        &self,
        vendor: i64,
        refresh: Hash,
        pair: StoredPair,
        act: Act,
    ) -> Result<Option<Result<Claim, u64>>, StoreError> {
        self.write_if_awaited(move |transaction| {
            let spent = match spend(transaction, vendor, &refresh, act.now)? {
                None => spend_again(transaction, vendor, &refresh, &act)?,
                spent => spent,
            };
            Ok(match spent {
                None => None,
                Some(Err(wait)) => Some(Err(wait)),
                Some(Ok(exchange)) => {
                    exchange.replace(transaction, pair, act.now)?;
                    Some(Ok(read_claim(transaction, &exchange.integration)?))
                }
            })
        })
        .await
    }

    /// Ends the token set that a vendor's token belongs to, be it valid, expired or spent. Any other changes nothing.
    pub async fn revoke(&self, vendor: i64, token: Hash, act: Act) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let sql = "SELECT t.integration_hash FROM token_set t JOIN integration i ON i.hash = t.integration_hash
                 WHERE i.vendor_id = ?2 AND t.integration_hash IN (
                 SELECT integration_hash FROM token_set WHERE access_hash = ?1
                 UNION ALL SELECT integration_hash FROM token_set WHERE refresh_hash = ?1)";
            let held = transaction.row(sql, values![token, vendor], |row| row.get(0))?;
            let integration: Option<Hash> = match held {
                None => spent_for(transaction, vendor, &token)?,
                held => held,
            };
            if let Some(integration) = integration
                && end(transaction, &integration, "vendor", act.now)?
            {
                record(transaction, "token_set.revoked", Some(&integration.label()), &act)?;
                transaction.on_commit(
                    move || tracing::info!(integration = %integration.label(), "a token set is revoked"),
                );
            }
            Ok(())
        })
        .await
    }
}

const TOKEN_SET: &str =
    "SELECT pickup_hash, created_at, reissues, used_at IS NOT NULL FROM token_set
     WHERE integration_hash = ?1";

fn read_token_set(row: &Row<'_>) -> Result<TokenSet, StoreError> {
    Ok(TokenSet {
        pickup: row.get(0)?,
        claimed_at: row.get(1)?,
        reissues: row.get(2)?,
        used: row.get(3)?,
    })
}

fn read_claim(transaction: &Transaction<'_>, integration: &Hash) -> Result<Claim, StoreError> {
    let sql = "SELECT i.ereceipt, account.public_id, account.name, store.public_id, store.name
         FROM integration i JOIN account ON account.id = i.owner_id JOIN store ON store.id = i.store_id
         WHERE i.hash = ?1";
    transaction.one(sql, values![integration], |row| {
        Ok(Claim {
            ereceipt: row.get(0)?,
            account_id: row.get(1)?,
            account_name: row.get(2)?,
            store_id: row.get(3)?,
            store_name: row.get(4)?,
        })
    })
}

/// An exchange of a refresh token for a new pair.
struct Exchange {
    integration: Hash,
    /// When there is room for as many as at first, in microseconds.
    full_at: i64,
    /// The refresh token that ends.
    spent: Hash,
    /// Nobody exchanged that one; the token before it came again.
    is_again: bool,
}

impl Exchange {
    /// Remembers the refresh token, and puts a new pair in the place of its own.
    fn replace(
        &self,
        transaction: &Transaction<'_>,
        pair: StoredPair,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO spent_refresh (hash, integration_hash, refresh_until, exchange, unused)
             SELECT refresh_hash, integration_hash, refresh_until, exchanges + ?2, CAST(?3 AS boolean) FROM token_set
             WHERE refresh_hash = ?1";
        let counted = i64::from(!self.is_again);
        transaction.execute(sql, values![self.spent, counted, self.is_again])?;
        let sql = "UPDATE token_set SET access_hash = ?2, refresh_hash = ?3, access_until = ?4, refresh_until = ?5,
               pair_used_at = NULL, used_at = coalesce(used_at, ?6), exchanges = exchanges + ?7, exchanges_full_at = ?8
             WHERE integration_hash = ?1";
        transaction.execute(
            sql,
            values![
                self.integration,
                pair.access,
                pair.refresh,
                pair.access_until,
                pair.refresh_until,
                now,
                counted,
                self.full_at
            ],
        )?;
        Ok(())
    }
}

/// Counts one more exchange; says when there is room for as many as at first, or in how many seconds there may be one.
fn count_exchange(full_at: i64, now: Timestamp) -> Result<i64, u64> {
    let (burst, refill) = EXCHANGES;
    Budget::new(burst, refill).spend(full_at, micros(now))
}

/// Whose valid refresh token it is, or in how many seconds to come again.
fn spend(
    transaction: &Transaction<'_>,
    vendor: i64,
    refresh: &Hash,
    now: Timestamp,
) -> Result<Option<Result<Exchange, u64>>, StoreError> {
    let sql = "SELECT integration_hash, exchanges_full_at FROM token_set
         WHERE refresh_hash = ?1 AND revoked_at IS NULL AND refresh_until > ?3
         AND EXISTS (SELECT 1 FROM integration WHERE hash = integration_hash AND vendor_id = ?2)";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found: Option<(Hash, i64)> = transaction.row(sql, values![refresh, vendor, now], read)?;
    Ok(found.map(|(integration, full_at)| {
        Ok(Exchange {
            integration,
            full_at: count_exchange(full_at, now)?,
            spent: *refresh,
            is_again: false,
        })
    }))
}

/// Spends a refresh token that may be exchanged again. Ends the token set if it is in two hands.
fn spend_again(
    transaction: &Transaction<'_>,
    vendor: i64,
    refresh: &Hash,
    act: &Act,
) -> Result<Option<Result<Exchange, u64>>, StoreError> {
    let sql = "SELECT s.integration_hash, s.exchange = t.exchanges, s.unused, s.refresh_until, t.refresh_hash,
         t.pair_used_at IS NOT NULL, t.revoked_at IS NOT NULL, t.exchanges_full_at
         FROM spent_refresh s JOIN token_set t ON t.integration_hash = s.integration_hash
         JOIN integration i ON i.hash = s.integration_hash
         WHERE s.hash = ?1 AND i.vendor_id = ?2";
    let found = transaction.row(sql, values![refresh, vendor], |row| {
        let spent = SpentRefreshToken {
            last: row.get(1)?,
            unused: row.get(2)?,
            until: row.get(3)?,
            successor_used: row.get(5)?,
            revoked: row.get(6)?,
        };
        Ok((row.get(0)?, row.get(4)?, row.get(7)?, spent))
    })?;
    let Some((integration, successor, full_at, spent)) = found else {
        return Ok(None);
    };
    let (integration, successor): (Hash, Hash) = (integration, successor);
    match spent.again_at(act.now) {
        SpentAgain::Exchange => {
            let full_at = match count_exchange(full_at, act.now) {
                Ok(full_at) => full_at,
                Err(wait) => return Ok(Some(Err(wait))),
            };
            transaction.on_commit(
                move || tracing::info!(integration = %integration.label(), "a refresh is answered again"),
            );
            Ok(Some(Ok(Exchange {
                integration,
                full_at,
                spent: successor,
                is_again: true,
            })))
        }
        SpentAgain::Refuse => Ok(None),
        SpentAgain::Revoke => {
            revoke_reused(transaction, &integration, act)?;
            Ok(None)
        }
    }
}

/// Ends a token set that is in two hands.
fn revoke_reused(
    transaction: &Transaction<'_>,
    integration: &Hash,
    act: &Act,
) -> Result<(), StoreError> {
    if end(transaction, integration, "reuse", act.now)? {
        let integration = integration.label();
        record(transaction, "refresh.reused", Some(&integration), act)?;
        transaction.on_commit(move || {
            let what = "a spent refresh token came back: the token set is revoked";
            tracing::warn!(integration, "{what}");
        });
    }
    Ok(())
}

/// The vendor's integration that a refresh token was spent for.
fn spent_for(
    transaction: &Transaction<'_>,
    vendor: i64,
    refresh: &Hash,
) -> Result<Option<Hash>, StoreError> {
    let sql = "SELECT s.integration_hash FROM spent_refresh s JOIN integration i ON i.hash = s.integration_hash
         WHERE s.hash = ?1 AND i.vendor_id = ?2";
    transaction.row(sql, values![refresh, vendor], |row| row.get(0))
}

/// Ends a token set; false if there is none that has not ended. Whoever ends one has held a token of it: it counts as
/// used, or a reissue would bring it back. `by` is what the vendor reads.
pub(super) fn end(
    transaction: &Transaction<'_>,
    integration: &Hash,
    by: &'static str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE token_set SET revoked_at = ?2, used_at = coalesce(used_at, ?2)
         WHERE integration_hash = ?1 AND revoked_at IS NULL";
    let is_ended = transaction.execute(sql, values![integration, now])? > 0;
    if is_ended {
        add_event(transaction, integration, EventKind::Revoked(by), now)?;
    }
    Ok(is_ended)
}

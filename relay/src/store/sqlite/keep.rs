//! Keeping a token set.

use super::record;
use crate::store::audit::kept;
use crate::store::{ALLOWED_FOR, Identity, KNOWN, NewTokenSet, StoreError};
use pos_connect_foundation::clock::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// As [`Store::keep`](crate::store::Store::keep) says.
pub(super) fn keep(transaction: &Transaction<'_>, new: NewTokenSet) -> Result<bool, StoreError> {
    let identity = Identity::of(&new.facts);
    let account_name = new.facts.account.map(|account| account.name);
    let store_name = new.facts.store.map(|store| store.name);
    let (merchant, till): (String, String) = transaction
        .prepare_cached(
            "SELECT merchant, label FROM integration JOIN till ON till.label = till WHERE hash = ?",
        )?
        .query_row([new.integration], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let refused = is_refused(transaction, &merchant, &identity, new.now)?;
    transaction
        .prepare_cached(
            "INSERT INTO token_set (integration_hash, merchant, number, sealed_tokens, handed_out, ereceipt,
               expiration, expires_at, account_id, account_name, kept_at, refused, ended_at, store_id,
               store_name)
             VALUES (?1, ?2, (SELECT coalesce(max(number), 0) + 1 FROM token_set), ?3, ?4, ?5, ?6, ?7, ?8,
               ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            new.integration,
            merchant,
            new.sealed_tokens,
            new.handed_out,
            new.facts.ereceipt,
            new.facts.expiration,
            new.facts.expires_at,
            identity.account,
            account_name,
            new.now,
            refused,
            refused.then_some(new.now),
            identity.store,
            store_name,
        ])?;
    if !refused {
        transaction
            .prepare_cached(
                "UPDATE token_set SET ended_at = ?3 WHERE merchant = ?2 AND integration_hash <> ?1
                   AND handed_out = 0 AND ended_at IS NULL",
            )?
            .execute(params![new.integration, merchant, new.now])?;
    }
    transaction
        .prepare_cached("UPDATE integration SET pickup = 'kept' WHERE hash = ?")?
        .execute([new.integration])?;
    record(
        transaction,
        kept(&new.integration, &merchant, till, refused, new.now),
    )?;
    tracing::info!(integration = %new.integration.label(), refused, "a token set is kept");
    Ok(true)
}

/// Whether the merchant is known with another account or store, and this change was not allowed. Uses the permission
/// up.
fn is_refused(
    transaction: &Transaction<'_>,
    merchant: &str,
    new: &Identity,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let read = |row: &Row<'_>| {
        Ok(Identity {
            account: row.get(0)?,
            store: row.get(1)?,
        })
    };
    let known = transaction
        .prepare_cached(KNOWN)?
        .query_row([merchant], read)
        .optional()?;
    // Whichever connection comes next uses it up.
    let allowed_at: Option<Timestamp> = transaction
        .prepare_cached("DELETE FROM allowed_change WHERE merchant = ? RETURNING allowed_at")?
        .query_row([merchant], |row| row.get(0))
        .optional()?;
    let is_allowed = allowed_at.is_some_and(|at| at > now.before(ALLOWED_FOR));
    Ok(!is_allowed && known.unwrap_or_default().differs_from(new))
}

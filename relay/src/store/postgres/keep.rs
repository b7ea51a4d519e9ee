//! Keeping a token set.

use super::row::get;
use super::{Params, record};
use crate::store::{ALLOWED_FOR, Identity, KNOWN, Lease, NewTokenSet, StoreError, audit};
use deadpool_postgres::Object;
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::postgres::fault;
use tokio_postgres::{Row, Transaction};

/// As [`Store::keep`](crate::store::Store::keep) says.
pub(super) async fn keep(
    mut client: Object,
    new: NewTokenSet,
    lease: &Lease,
) -> Result<bool, StoreError> {
    let identity = Identity::of(&new.facts);
    let account_name = new.facts.account.map(|account| account.name);
    let store_name = new.facts.store.map(|store| store.name);
    let (hash, expires_at) = (
        &new.integration.bytes()[..],
        new.facts.expires_at.map(|at| at.0),
    );
    let transaction = client.transaction().await.map_err(fault)?;
    let asked = "SELECT merchant, fence, pickup = 'kept', label FROM integration JOIN till ON till.label = till
         WHERE hash = $1 FOR UPDATE OF integration";
    let row = transaction
        .query_one(asked, &[&hash])
        .await
        .map_err(fault)?;
    let (merchant, fence, is_kept) = (get::<String>(&row, 0)?, get::<i64>(&row, 1)?, get(&row, 2)?);
    let till: String = get(&row, 3)?;
    if is_kept || lease.fence != fence {
        // Under our own lease nobody else has kept it: the answer to our own commit was lost.
        return Ok(is_kept && lease.fence == fence);
    }
    // Two first connections of one merchant would not see each other.
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('keep ' || $1, 0))";
    let locked = transaction.execute(lock, &[&merchant]).await;
    locked.map_err(fault)?;
    let refused = is_refused(&transaction, &merchant, &identity, new.now).await?;
    let ended_at = refused.then_some(new.now.0);
    let insert = "INSERT INTO token_set (integration_hash, merchant, sealed_tokens, handed_out, ereceipt,
           expiration, expires_at, account_id, account_name, kept_at, refused, ended_at, store_id, store_name)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    let row: Params<'_> = &[
        &hash,
        &merchant,
        &new.sealed_tokens,
        &new.handed_out,
        &new.facts.ereceipt,
        &new.facts.expiration,
        &expires_at,
        &identity.account,
        &account_name,
        &new.now.0,
        &refused,
        &ended_at,
        &identity.store,
        &store_name,
    ];
    transaction.execute(insert, row).await.map_err(fault)?;
    if !refused {
        let replaced =
            "UPDATE token_set SET ended_at = $3 WHERE merchant = $2 AND integration_hash <> $1
               AND NOT handed_out AND ended_at IS NULL";
        let row: Params<'_> = &[&hash, &merchant, &new.now.0];
        transaction.execute(replaced, row).await.map_err(fault)?;
    }
    let kept = "UPDATE integration SET pickup = 'kept' WHERE hash = $1";
    transaction.execute(kept, &[&hash]).await.map_err(fault)?;
    let note = audit::kept(&new.integration, &merchant, till, refused, new.now);
    record(&transaction, note).await?;
    transaction.commit().await.map_err(fault)?;
    tracing::info!(integration = %new.integration.label(), refused, "a token set is kept");
    Ok(true)
}

/// Whether the merchant is known with another account or store, and this change was not allowed. Uses the permission
/// up.
async fn is_refused(
    transaction: &Transaction<'_>,
    merchant: &str,
    new: &Identity,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let known = transaction.query_opt(KNOWN, &[&merchant]).await;
    let read = |row: Row| {
        Ok::<_, StoreError>(Identity {
            account: get(&row, 0)?,
            store: get(&row, 1)?,
        })
    };
    let known = known.map_err(fault)?.map(read).transpose()?;
    // Whichever connection comes next uses it up.
    let used = "DELETE FROM allowed_change WHERE merchant = $1 RETURNING allowed_at";
    let allowed = transaction.query_opt(used, &[&merchant]).await;
    let allowed_at = allowed
        .map_err(fault)?
        .map(|row| get::<i64>(&row, 0))
        .transpose()?;
    let is_allowed = allowed_at.is_some_and(|at| at > now.before(ALLOWED_FOR).0);
    Ok(!is_allowed && known.unwrap_or_default().differs_from(new))
}

//! Keeping a token set.

use super::{Lease, Store, StoreError, TokenSetInfo, audit};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::{Database, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use pos_connect_protocol::Named;
use std::time::Duration;

/// A token set about to be kept.
#[derive(Clone, Debug)]
pub struct NewTokenSet {
    /// Hash of the integration token.
    pub integration: Hash,
    /// Both tokens, sealed.
    pub sealed_tokens: Vec<u8>,
    /// Whether the till gets the tokens.
    pub handed_out: bool,
    /// The rest.
    pub info: TokenSetInfo,
    /// Now.
    pub now: Timestamp,
}

/// How long an allowed change waits to be used.
const ALLOWED_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// What the merchant is known with, or would be: ids of account and store.
#[derive(Debug, Default, Eq, PartialEq)]
struct Identity {
    account: Option<String>,
    store: Option<String>,
}

impl Identity {
    fn of(info: &TokenSetInfo) -> Self {
        let id = |named: &Option<Named>| named.as_ref().map(|named| named.id.clone());
        Self {
            account: id(&info.account),
            store: id(&info.store),
        }
    }

    /// Whether `other` is somebody else. What is not known of this one cannot be compared.
    fn differs_from(&self, other: &Self) -> bool {
        let differs = |known: &Option<String>, new| known.is_some() && known != new;
        differs(&self.account, &other.account) || differs(&self.store, &other.store)
    }
}

impl Store {
    /// Keeps a token set: it is the merchant's connection from now on, and those that were held for it before have
    /// ended. If it is of another account or store than the merchant is known with, and nobody has allowed the change,
    /// it is kept as refused, and all stays as it was.
    ///
    /// False if the lease is another relay's by now: that one has, or will have, the token set.
    pub async fn keep(&self, new: NewTokenSet, lease: &Lease) -> Result<bool, StoreError> {
        let fence = lease.fence();
        // PostgreSQL counts by itself.
        let counts = matches!(self.database, Database::Sqlite(_));
        let keep = move |transaction: &Transaction<'_>| {
            if !fence.holds(transaction)? {
                return Ok(false);
            }
            let asked = "SELECT merchant, label, pickup = 'kept' FROM integration JOIN till ON till.label = till
                         WHERE hash = ?1";
            let (merchant, till, is_kept): (String, String, bool) =
                transaction.one(asked, values![new.integration], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?;
            // Under our own lease nobody else has kept it: the answer to our own commit was lost.
            if !is_kept {
                keep(transaction, &new, &merchant, till, counts)?;
            }
            Ok(true)
        };
        self.database.write(keep).await
    }
}

fn keep(
    transaction: &Transaction<'_>,
    new: &NewTokenSet,
    merchant: &str,
    till: String,
    counts: bool,
) -> Result<(), StoreError> {
    let identity = Identity::of(&new.info);
    let refused = is_refused(transaction, merchant, &identity, new.now)?;
    insert(transaction, new, merchant, &identity, refused, counts)?;
    if !refused {
        let replaced =
            "UPDATE token_set SET ended_at = ?3 WHERE merchant = ?2 AND integration_hash <> ?1
                          AND NOT handed_out AND ended_at IS NULL";
        transaction.execute(replaced, values![new.integration, merchant, new.now])?;
    }
    // Nobody asks the service for this integration again, so its token is worth nothing but to a thief.
    let kept = "UPDATE integration SET pickup = 'kept', sealed_token = ?2, sealed_pickup = ?2 WHERE hash = ?1";
    transaction.execute(kept, values![new.integration, Vec::<u8>::new()])?;
    audit::picked_up(&new.integration, merchant, till, refused, new.now).write(transaction)?;
    let integration = new.integration;
    transaction.on_commit(move || {
        tracing::info!(integration = %integration.label(), refused, "a token set is kept");
    });
    Ok(())
}

fn insert(
    transaction: &Transaction<'_>,
    new: &NewTokenSet,
    merchant: &str,
    identity: &Identity,
    refused: bool,
    counts: bool,
) -> Result<(), StoreError> {
    let (column, number) = match counts {
        true => (
            ", number",
            ", (SELECT coalesce(max(number), 0) + 1 FROM token_set)",
        ),
        false => ("", ""),
    };
    let sql = format!(
        "INSERT INTO token_set (integration_hash, merchant, sealed_tokens, handed_out, ereceipt, expiration, expires_at,
           account_id, account_name, kept_at, refused, ended_at, store_id, store_name{column})
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14{number})"
    );
    let name = |named: &Option<Named>| named.as_ref().map(|named| named.name.clone());
    let info = &new.info;
    let row = values![
        new.integration,
        merchant,
        new.sealed_tokens,
        new.handed_out,
        info.ereceipt,
        info.expiration,
        info.expires_at,
        identity.account,
        name(&info.account),
        new.now,
        refused,
        refused.then_some(new.now),
        identity.store,
        name(&info.store),
    ];
    transaction.execute(&sql, row)?;
    Ok(())
}

/// Whether the merchant is known with another account or store, and this change was not allowed. Uses the permission
/// up.
fn is_refused(
    transaction: &Transaction<'_>,
    merchant: &str,
    new: &Identity,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let known = "SELECT account_id, store_id FROM token_set
                 WHERE merchant = ?1 AND NOT refused AND account_id IS NOT NULL ORDER BY number DESC LIMIT 1";
    let known = transaction.row(known, values![merchant], |row| {
        Ok(Identity {
            account: row.get(0)?,
            store: row.get(1)?,
        })
    })?;
    // Whichever connection comes next uses it up.
    let used = "DELETE FROM allowed_change WHERE merchant = ?1 RETURNING allowed_at";
    let allowed_at: Option<Timestamp> =
        transaction.row(used, values![merchant], |row| row.get(0))?;
    let is_allowed = allowed_at.is_some_and(|at| at > now.before(ALLOWED_FOR));
    Ok(!is_allowed && known.unwrap_or_default().differs_from(new))
}

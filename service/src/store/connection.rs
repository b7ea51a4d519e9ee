//! What a merchant has connected: token sets that are valid, and those that still wait to be picked up.

use super::account::is_current;
use super::audit::{Act, record};
use super::budget::{spend, switches};
use super::event::{EventKind, add_event};
use super::token_set::end;
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::sign_in::SignedIn;
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::values;

/// A connection, as its merchant sees it.
pub struct Connection {
    /// Hash of the integration.
    pub integration: Hash,
    /// Name of the vendor.
    pub vendor: String,
    /// Name of the store.
    pub store: String,
    /// When the merchant consented.
    pub since: Timestamp,
    /// Whether its tills offer e-receipts.
    pub ereceipt: bool,
    /// When a till used it last, by the minute; `None` if none has.
    pub last_used: Option<Timestamp>,
}

const OF_ACCOUNT: &str =
    "SELECT i.hash, vendor.name, store.name, i.decided_at, i.ereceipt, t.used_at
     FROM integration i JOIN vendor ON vendor.id = i.vendor_id JOIN store ON store.id = i.store_id
       LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.owner_id = ?1 AND i.status = 'finished' AND CASE WHEN t.integration_hash IS NULL
       THEN i.pickup_until > ?2 ELSE t.revoked_at IS NULL AND t.refresh_until > ?2 END
     ORDER BY i.decided_at DESC, i.hash";

fn read(row: &Row<'_>) -> Result<Connection, StoreError> {
    Ok(Connection {
        integration: row.get(0)?,
        vendor: row.get(1)?,
        store: row.get(2)?,
        since: row.get(3)?,
        ereceipt: row.get(4)?,
        last_used: row.get(5)?,
    })
}

/// The connection of an account that is signed in to; `None` if the sign-in counts no more.
fn find(
    transaction: &Transaction<'_>,
    who: SignedIn,
    integration: &Hash,
    now: Timestamp,
) -> Result<Option<Connection>, StoreError> {
    if !is_current(transaction, who)? {
        return Ok(None);
    }
    let all = transaction.rows(OF_ACCOUNT, values![who.account, now], read)?;
    Ok(all.into_iter().find(|one| one.integration == *integration))
}

impl Store {
    /// The connections of an account, the newest first.
    pub async fn connections(
        &self,
        account: i64,
        now: Timestamp,
    ) -> Result<Vec<Connection>, StoreError> {
        self.rows(OF_ACCOUNT, values![account, now], read).await
    }

    /// Switches the e-receipts of a connection of an account on or off; gives what it is. `None` if the account has
    /// no such connection any more, or the sign-in counts no more; `Err` says in how many seconds there may be another
    /// change.
    pub async fn switch_ereceipts(
        &self,
        who: SignedIn,
        integration: Hash,
        is_on: bool,
        act: Act,
    ) -> Result<Result<Option<Connection>, u64>, StoreError> {
        self.write(move |transaction| {
            let Some(found) = find(transaction, who, &integration, act.now)? else {
                return Ok(Ok(None));
            };
            if found.ereceipt != is_on {
                if let Err(wait) = spend(transaction, &[switches(who.account)], act.now)? {
                    return Ok(Err(wait));
                }
                let sql = "UPDATE integration SET ereceipt = ?2 WHERE hash = ?1";
                transaction.execute(sql, values![integration, is_on])?;
                let event = match is_on {
                    true => "connection.ereceipts_on",
                    false => "connection.ereceipts_off",
                };
                record(transaction, event, Some(&integration.label()), &act)?;
            }
            Ok(Ok(Some(Connection {
                ereceipt: is_on,
                ..found
            })))
        })
        .await
    }

    /// Ends a connection of an account; gives what it was. `None` if the account has no such connection any more,
    /// or the sign-in counts no more.
    pub async fn disconnect(
        &self,
        who: SignedIn,
        integration: Hash,
        act: Act,
    ) -> Result<Option<Connection>, StoreError> {
        let now = act.now;
        self.write(move |transaction| {
            let found = find(transaction, who, &integration, now)?;
            if found.is_some() {
                if !end(transaction, &integration, "merchant", now)? {
                    // Nobody has picked it up yet.
                    add_event(transaction, &integration, EventKind::Revoked("merchant"), now)?;
                }
                record(transaction, "connection.disconnected", Some(&integration.label()), &act)?;
                transaction.execute(
                    "UPDATE integration SET pickup_until = ?2 WHERE hash = ?1 AND claimed_at IS NULL",
                    values![integration, now],
                )?;
                transaction.on_commit(
                    move || tracing::info!(integration = %integration.label(), "its merchant has disconnected it"),
                );
            }
            Ok(found)
        })
        .await
    }
}

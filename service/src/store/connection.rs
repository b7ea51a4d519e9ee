//! What a merchant has connected: token sets that are valid, and those that still wait to be picked up.

use super::audit::{Act, record};
use super::budget::{spend, switches};
use super::event::{EventKind, add_event};
use super::token_set::end;
use super::{Store, StoreError};
use crate::clock::Timestamp;
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
    /// When the vendor's last order for the store came; `None` if there is none, or where a change is made.
    pub last_order: Option<Timestamp>,
}

const LAST_ORDER: &str = "(SELECT max(o.received_at) FROM store_order o
     WHERE o.store_id = i.store_id AND o.vendor_id = i.vendor_id AND o.received_at >= i.decided_at)";
/// A transaction that reads orders would wait for those that come meanwhile.
const UNREAD: &str = "CAST(NULL AS bigint)";

fn of_account(last_order: &str) -> String {
    format!(
        "SELECT i.hash, vendor.name, store.name, i.decided_at, i.ereceipt, {last_order}
     FROM integration i JOIN vendor ON vendor.id = i.vendor_id JOIN store ON store.id = i.store_id
       LEFT JOIN token_set t ON t.integration_hash = i.hash
     WHERE i.owner_id = ?1 AND i.status = 'finished' AND CASE WHEN t.integration_hash IS NULL
       THEN i.pickup_until > ?2 ELSE t.revoked_at IS NULL AND t.refresh_until > ?2 END
     ORDER BY i.decided_at DESC, i.hash"
    )
}

fn read(row: &Row<'_>) -> Result<Connection, StoreError> {
    Ok(Connection {
        integration: row.get(0)?,
        vendor: row.get(1)?,
        store: row.get(2)?,
        since: row.get(3)?,
        ereceipt: row.get(4)?,
        last_order: row.get(5)?,
    })
}

fn find(
    transaction: &Transaction<'_>,
    account: i64,
    integration: &Hash,
    now: Timestamp,
) -> Result<Option<Connection>, StoreError> {
    let all = transaction.rows(&of_account(UNREAD), values![account, now], read)?;
    Ok(all.into_iter().find(|one| one.integration == *integration))
}

impl Store {
    /// The connections of an account, the newest first.
    pub async fn connections(
        &self,
        account: i64,
        now: Timestamp,
    ) -> Result<Vec<Connection>, StoreError> {
        self.rows(&of_account(LAST_ORDER), values![account, now], read)
            .await
    }

    /// Switches the e-receipts of a connection of an account on or off; gives what it is. `None` if the account has
    /// no such connection any more; `Err` says in how many seconds there may be another change.
    pub async fn switch_ereceipts(
        &self,
        account: i64,
        integration: Hash,
        is_on: bool,
        act: Act,
    ) -> Result<Result<Option<Connection>, u64>, StoreError> {
        self.write(move |transaction| {
            let Some(found) = find(transaction, account, &integration, act.now)? else {
                return Ok(Ok(None));
            };
            if found.ereceipt != is_on {
                if let Err(wait) = spend(transaction, &[switches(account)], act.now)? {
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

    /// Ends a connection of an account; gives what it was. `None` if the account has no such connection any more.
    pub async fn disconnect(
        &self,
        account: i64,
        integration: Hash,
        act: Act,
    ) -> Result<Option<Connection>, StoreError> {
        let now = act.now;
        self.write(move |transaction| {
            let found = find(transaction, account, &integration, now)?;
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

#[cfg(test)]
mod tests {
    use super::super::migration::plan;
    use super::{LAST_ORDER, of_account};

    /// All requests wait for who looks through the orders of all stores.
    #[test]
    fn a_list_looks_for_one_order_of_each_store() {
        let plan = plan(&of_account(LAST_ORDER));
        let found = "order_of_store (store_id=? AND vendor_id=? AND received_at>?)";
        assert!(plan.iter().any(|step| step.contains(found)), "{plan:?}");
    }
}
